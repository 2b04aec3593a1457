import type { ResponseOutputItem, ResponseStreamEvent } from "openai/resources/responses/responses";
import type { ModelPart } from "../../../../core/index.ts";
import { isJsonObject } from "../../../../shared/json/json.ts";
import { noReply, typedEvent } from "../../reply/reply-errors.ts";
import { DialectReply, type EndReason } from "../../reply/reply-decoder.ts";
import { classifyErrorObject } from "../../errors/provider-error.ts";
import { KeyedCalls } from "../../reply/keyed-calls.ts";
import { type OrderedItem, toOrderedItems } from "../../reply/reply-order.ts";
import { detailsIn, type ReportedUsage, reportedUsage } from "../../reply/reported-usage.ts";

export const RESPONSES_ITEMS = "openai-responses";

type Json = Readonly<Record<string, unknown>>;
type Handler = (reply: ResponsesReply, event: Json, key: unknown) => void;
type Handlers<Type extends string> = { readonly [T in Type]?: Handler };

/** Decoder of a response, streamed or whole. */
export class ResponsesReply extends DialectReply {
  protected readonly calls = new KeyedCalls(this.context.newId);
  readonly #order: OrderedItem[] = [];
  /** Output items that are complete, and those of which text was shown as it came. */
  readonly #done = new Set<unknown>();
  readonly #shown = new Set<unknown>();
  #usage: ReportedUsage | undefined;
  #reason: EndReason | undefined;
  #refused = false;

  event(name: string, data: string): void {
    const typed = typedEvent(name, data, this.context.identity);
    if (typed !== undefined) ResponsesReply.#EVENTS.get(typed.type)?.(this, typed.event, keyOf(typed.event));
  }

  document(value: unknown): void {
    if (!isJsonObject(value)) throw noReply(this.context.identity, "response");
    if (!Array.isArray(value["output"])) {
      if (value["error"] !== undefined && value["error"] !== null) throw this.#failure(value["error"]);
      throw noReply(this.context.identity, "response");
    }
    this.#end(value);
  }

  end(): readonly ModelPart[] {
    if (this.#reason === undefined) throw this.brokenOff();
    const items = toOrderedItems(this.#order, { dialect: RESPONSES_ITEMS, reader: this.context.reader });
    const said = this.#reason === "stop" && this.calls.count > 0 ? "tool_calls" : this.#reason;
    return this.finish({ usage: this.#usage, reason: this.#refused ? "refusal" : said, items });
  }

  /** Handlers of events; an event without one is ignored on purpose. */
  static readonly #EVENTS = new Map<unknown, Handler>(
    Object.entries({
      "response.output_item.added": (reply, { item }, key) => {
        if (isJsonObject(item)) reply.#open(item, key);
      },
      "response.output_item.done": (reply, { item }, key) => {
        if (isJsonObject(item)) reply.#close(item, key);
      },
      "response.output_text.delta": (reply, { delta }, key) => reply.#say("text", delta, key),
      "response.refusal.delta": (reply, { delta }, key) => {
        reply.#refused = true;
        reply.#say("text", delta, key);
      },
      "response.reasoning_summary_part.added": (reply, { summary_index: place }) => {
        if (place !== 0) reply.parts.say("reasoning", "\n\n");
      },
      "response.reasoning_summary_text.delta": (reply, { delta }, key) => reply.#say("reasoning", delta, key),
      "response.reasoning_text.delta": (reply, { delta }, key) => reply.#say("reasoning", delta, key),
      "response.function_call_arguments.delta": (reply, { delta }, key) =>
        reply.parts.push(reply.calls.add(key, delta)),
      "response.function_call_arguments.done": (reply, event, key) =>
        reply.parts.push(reply.calls.whole(key, event["arguments"])),
      "response.completed": (reply, { response }) => reply.#end(response),
      "response.incomplete": (reply, { response }) => reply.#end(response),
      "response.failed": (reply, { response }) => reply.#end(response),
      error: (reply, event) => {
        throw reply.#failure(event["error"] ?? event);
      },
    } satisfies Handlers<ResponseStreamEvent["type"]>),
  );

  /** Handlers of an output item that is complete: what was not streamed of it comes now. */
  static readonly #ITEMS = new Map<unknown, Handler>(
    Object.entries({
      message: (reply, item, key) => {
        if (refusalIn(item)) reply.#refused = true;
        if (!reply.#shown.has(key)) reply.parts.say("text", textIn(item));
        const { phase } = item;
        reply.#order.push(typeof phase === "string" ? { kind: "text", phase } : { kind: "text" });
      },
      reasoning: (reply, item, key) => {
        if (!reply.#shown.has(key)) reply.parts.say("reasoning", reasoningText(item));
        const kept = keptReasoning(item);
        if (kept !== undefined) reply.#order.push({ kind: "opaque", item: kept });
      },
      function_call: (reply, item, key) => {
        reply.#open(item, key);
        reply.parts.push(reply.calls.whole(key, item["arguments"]));
        reply.#order.push({ kind: "call" });
      },
    } satisfies Handlers<ResponseOutputItem["type"]>),
  );

  #say(kind: "text" | "reasoning", delta: unknown, key: unknown): void {
    if (typeof delta !== "string") return;
    this.#shown.add(key);
    this.parts.say(kind, delta);
  }

  #open(item: Json, key: unknown): void {
    if (item["type"] !== "function_call") return;
    this.parts.push(this.calls.start(key, { id: item["call_id"] ?? item["id"], name: item["name"] }));
  }

  #close(item: Json, key: unknown): void {
    if (this.#done.has(key)) return;
    this.#done.add(key);
    ResponsesReply.#ITEMS.get(item["type"])?.(this, item, key);
  }

  #end(response: unknown): void {
    if (!isJsonObject(response)) throw noReply(this.context.identity, "response");
    const { output, status, error, incomplete_details: details } = response;
    if (status === "failed" || status === "cancelled" || (error !== undefined && error !== null))
      throw this.#failure(error);
    if (Array.isArray(output)) {
      for (const [index, item] of output.entries())
        if (isJsonObject(item)) this.#close(item, this.#known(item, index));
    }
    this.#usage = usageIn(response["usage"]) ?? this.#usage;
    const why = isJsonObject(details) ? details["reason"] : undefined;
    this.#reason = why === "content_filter" ? "refusal" : status === "incomplete" ? "length" : "stop";
    this.state = "done";
  }

  /** The key under which an item of the whole output came before, if it did. */
  #known({ id }: Json, index: number): unknown {
    const isKnown = this.#done.has(id) || this.#shown.has(id) || this.calls.placeOf(id) >= 0;
    return isKnown ? id : index;
  }

  #failure(error: unknown): Error {
    const words = error ?? { message: "The endpoint ended its reply with an error." };
    return classifyErrorObject(words, this.context.identity);
  }
}

/** The key that tells the items of a response apart; some servers leave their place out. */
function keyOf({ output_index: index, item_id: id, item }: Json): unknown {
  return index ?? id ?? (isJsonObject(item) ? item["id"] : undefined);
}

/** Reads usage as responses endpoints report it; `undefined` when its numbers cannot be true. */
function usageIn(value: unknown): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const details = detailsIn(value["input_tokens_details"]);
  return reportedUsage({
    input: value["input_tokens"],
    output: value["output_tokens"],
    cacheRead: details["cached_tokens"],
    cacheWrite: details["cache_write_tokens"],
    reasoning: detailsIn(value["output_tokens_details"])["reasoning_tokens"],
  });
}

function piecesOf(list: unknown, key: string): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list
    .filter(isJsonObject)
    .map((piece) => piece[key])
    .filter((text) => typeof text === "string");
}

/** The text of a message item, refusals included. */
const textIn = ({ content }: Json): string =>
  [...piecesOf(content, "text"), ...piecesOf(content, "refusal")].join("");

const refusalIn = ({ content }: Json): boolean => piecesOf(content, "refusal").length > 0;

/** The readable part of a reasoning item: the reasoning itself where it is given, else its summary. */
function reasoningText({ content, summary }: Json): string {
  const whole = piecesOf(content, "text").join("");
  return whole === "" ? piecesOf(summary, "text").join("\n\n") : whole;
}

/**
 * Gives the part of a reasoning item that goes back to its endpoint. An encrypted item needs no id, which an endpoint
 * that stores nothing would look for in vain. A readable item, as open models give it, goes back whole. An item with
 * neither is the name of something that is stored nowhere, so nothing of it goes back.
 */
function keptReasoning(item: Json): Json | undefined {
  const { summary, content, encrypted_content: encrypted, id } = item;
  const base = { type: "reasoning", summary: Array.isArray(summary) ? summary : [] };
  if (typeof encrypted === "string" && encrypted !== "") return { ...base, encrypted_content: encrypted };
  if (piecesOf(content, "text").join("") === "") return undefined;
  return { ...base, ...(typeof id === "string" && { id }), content };
}
