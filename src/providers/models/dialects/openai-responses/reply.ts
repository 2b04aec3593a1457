import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import type { FinishReason, ModelPart } from "../../../../core/index.ts";
import { isJsonObject } from "../../../../shared/json/json.ts";
import { brokenOff, noReply, typedEvent } from "../../reply/reply-errors.ts";
import type { ReplyDecoder } from "../../stream/model-call.ts";
import { classifyErrorObject } from "../../errors/provider-error.ts";
import type { ReplyContext } from "../dialect.ts";
import { KeyedCalls } from "../../reply/keyed-calls.ts";
import { PartBuffer } from "../../reply/part-buffer.ts";
import { type OrderedItem, toOrderedItems } from "../../reply/reply-order.ts";
import type { ReportedUsage } from "../../reply/reported-usage.ts";
import { keptReasoning, reasoningText, refusalIn, textIn } from "./output-item.ts";
import { readResponsesUsage } from "./usage.ts";

export const RESPONSES_ITEMS = "openai-responses";

type Json = Readonly<Record<string, unknown>>;
type Reason = Exclude<FinishReason, "interrupted" | "error">;

/** Makes parts of a response, streamed or whole. */
export class ResponsesReply implements ReplyDecoder {
  state: ReplyDecoder["state"] = "open";
  readonly #context: ReplyContext;
  readonly #calls: KeyedCalls;
  readonly #parts = new PartBuffer();
  readonly #order: OrderedItem[] = [];
  /** Output items that are complete, and those of which text was shown as it came. */
  readonly #done = new Set<unknown>();
  readonly #shown = new Set<unknown>();
  #usage: ReportedUsage | undefined;
  #reason: Reason | undefined;
  #refused = false;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#calls = new KeyedCalls(context.newId);
  }

  event(name: string, data: string): void {
    const typed = typedEvent(name, data, this.#context.identity);
    if (typed !== undefined) this.#accept(typed.event, typed.type);
  }

  document(value: unknown): void {
    if (!isJsonObject(value)) throw noReply(this.#context.identity, "response");
    if (!Array.isArray(value["output"])) {
      if (value["error"] !== undefined && value["error"] !== null) throw this.#failure(value["error"]);
      throw noReply(this.#context.identity, "response");
    }
    this.#end(value);
  }

  take(): readonly ModelPart[] {
    return this.#parts.take();
  }

  end(): readonly ModelPart[] {
    const isEmpty = !this.#parts.spoke && this.#calls.count === 0;
    if (this.#reason === undefined) throw brokenOff(this.#context.identity, { isEmpty });
    const items = toOrderedItems(this.#order, { dialect: RESPONSES_ITEMS, reader: this.#context.reader });
    const said = this.#reason === "stop" && this.#calls.count > 0 ? "tool_calls" : this.#reason;
    const reason = this.#refused ? "refusal" : said;
    return [
      ...this.take(),
      ...this.#calls.end(),
      ...(this.#usage === undefined ? [] : [{ type: "usage", usage: this.#usage } as const]),
      { type: "finish", reason, ...(items === undefined ? {} : { items }) },
    ];
  }

  #accept(event: Json, type: string): void {
    const { item } = event;
    const key = keyOf(event);
    // The words are the package's; an event that is none of them is news that can be left out.
    switch (type as ResponseStreamEvent["type"]) {
      case "response.output_item.added":
        return isJsonObject(item) ? this.#open(item, key) : undefined;
      case "response.output_item.done":
        return isJsonObject(item) ? this.#close(item, key) : undefined;
      case "response.output_text.delta":
        return this.#say("text", event);
      case "response.refusal.delta":
        this.#refused = true;
        return this.#say("text", event);
      case "response.reasoning_summary_part.added":
        return event["summary_index"] === 0 ? undefined : this.#parts.say("reasoning", "\n\n");
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#say("reasoning", event);
      case "response.function_call_arguments.delta":
        return this.#parts.push(this.#calls.add(key, event["delta"]));
      case "response.function_call_arguments.done":
        return this.#parts.push(this.#calls.whole(key, event["arguments"]));
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return this.#end(event["response"]);
      case "error":
        throw this.#failure(event["error"] ?? event);
      default:
    }
  }

  #say(kind: "text" | "reasoning", event: Json): void {
    const { delta } = event;
    if (typeof delta !== "string") return;
    this.#shown.add(keyOf(event));
    this.#parts.say(kind, delta);
  }

  #open(item: Json, key: unknown): void {
    if (item["type"] !== "function_call") return;
    this.#parts.push(this.#calls.start(key, { id: item["call_id"] ?? item["id"], name: item["name"] }));
  }

  /** An item is complete: what was not streamed of it comes now. */
  #close(item: Json, key: unknown): void {
    if (this.#done.has(key)) return;
    this.#done.add(key);
    switch (item["type"]) {
      case "message": {
        if (refusalIn(item)) this.#refused = true;
        if (!this.#shown.has(key)) this.#parts.say("text", textIn(item));
        const { phase } = item;
        this.#order.push(typeof phase === "string" ? { kind: "text", phase } : { kind: "text" });
        return;
      }
      case "reasoning": {
        if (!this.#shown.has(key)) this.#parts.say("reasoning", reasoningText(item));
        const kept = keptReasoning(item);
        if (kept !== undefined) this.#order.push({ kind: "opaque", item: kept });
        return;
      }
      case "function_call":
        this.#open(item, key);
        this.#parts.push(this.#calls.whole(key, item["arguments"]));
        this.#order.push({ kind: "call" });
        return;
      default:
    }
  }

  #end(response: unknown): void {
    if (!isJsonObject(response)) throw noReply(this.#context.identity, "response");
    const { output, status, error, incomplete_details: details } = response;
    if (status === "failed" || status === "cancelled" || (error !== undefined && error !== null))
      throw this.#failure(error);
    if (Array.isArray(output)) {
      for (const [index, item] of output.entries())
        if (isJsonObject(item)) this.#close(item, this.#known(item, index));
    }
    this.#usage = readResponsesUsage(response["usage"]) ?? this.#usage;
    const why = isJsonObject(details) ? details["reason"] : undefined;
    this.#reason = why === "content_filter" ? "refusal" : status === "incomplete" ? "length" : "stop";
    this.state = "done";
  }

  /** The key under which an item of the whole output came before, if it did. */
  #known({ id }: Json, index: number): unknown {
    const isKnown = this.#done.has(id) || this.#shown.has(id) || this.#calls.placeOf(id) >= 0;
    return isKnown ? id : index;
  }

  #failure(error: unknown): Error {
    const words = error ?? { message: "The endpoint ended its reply with an error." };
    return classifyErrorObject(words, this.#context.identity);
  }
}

/** What tells the items of a response apart; some servers leave their place out. */
function keyOf({ output_index: index, item_id: id, item }: Json): unknown {
  return index ?? id ?? (isJsonObject(item) ? item["id"] : undefined);
}
