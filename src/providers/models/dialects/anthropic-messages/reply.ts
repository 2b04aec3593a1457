import type { RawMessageStreamEvent, StopReason } from "@anthropic-ai/sdk/resources/messages/messages";
import type { FinishReason, ModelPart } from "../../../../core/index.ts";
import { isJsonObject } from "../../../../shared/json/json.ts";
import { brokenOff, noReply, typedEvent } from "../../reply/reply-errors.ts";
import type { ReplyDecoder } from "../../stream/model-call.ts";
import { classifyErrorObject } from "../../errors/provider-error.ts";
import type { ReplyContext } from "../dialect.ts";
import { KeyedCalls } from "../../reply/keyed-calls.ts";
import { PartBuffer } from "../../reply/part-buffer.ts";
import { type OrderedItem, toOrderedItems } from "../../reply/reply-order.ts";
import { mergedUsage, readMessagesUsage } from "./usage.ts";

export const MESSAGES_ITEMS = "anthropic-messages";

type Json = Readonly<Record<string, unknown>>;
type Reason = Exclude<FinishReason, "interrupted" | "error">;

/** A thinking block that is being put together. */
interface OpenThinking {
  thinking: string;
  signature: string;
}

/** Makes parts of a message, streamed or whole. */
export class MessagesReply implements ReplyDecoder {
  state: ReplyDecoder["state"] = "open";
  readonly #context: ReplyContext;
  readonly #calls: KeyedCalls;
  readonly #parts = new PartBuffer();
  readonly #order: (OrderedItem | { readonly kind: "thinking"; readonly block: OpenThinking })[] = [];
  readonly #thinking = new Map<unknown, OpenThinking>();
  #counts: Json = {};
  #stopReason: string | undefined;

  constructor(context: ReplyContext) {
    this.#context = context;
    this.#calls = new KeyedCalls(context.newId);
  }

  event(name: string, data: string): void {
    const typed = typedEvent(name, data, this.#context.identity);
    if (typed !== undefined) this.#accept(typed.event, typed.type);
  }

  document(value: unknown): void {
    if (!isJsonObject(value)) throw noReply(this.#context.identity, "message");
    const { content, error } = value;
    if (!Array.isArray(content)) {
      if (error === undefined || error === null) throw noReply(this.#context.identity, "message");
      throw classifyErrorObject(error, this.#context.identity);
    }
    for (const [index, block] of content.entries()) if (isJsonObject(block)) this.#block(block, index);
    this.#counts = mergedUsage(this.#counts, value["usage"]);
    this.#stop(value["stop_reason"] ?? "end_turn");
    this.state = "done";
  }

  take(): readonly ModelPart[] {
    return this.#parts.take();
  }

  end(): readonly ModelPart[] {
    const isEmpty = !this.#parts.spoke && this.#calls.count === 0;
    if (this.#stopReason === undefined) throw brokenOff(this.#context.identity, { isEmpty });
    const usage = readMessagesUsage(this.#counts);
    const items = toOrderedItems(this.#kept(), { dialect: MESSAGES_ITEMS, reader: this.#context.reader });
    return [
      ...this.take(),
      ...this.#calls.end(),
      ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
      { type: "finish", reason: this.#reason(), ...(items === undefined ? {} : { items }) },
    ];
  }

  #accept(event: Json, type: string): void {
    const { index, delta } = event;
    // The words are the package's, and `error`, which it throws; an event that is none of them can be left out.
    switch (type as RawMessageStreamEvent["type"] | "error") {
      case "message_start": {
        const { message } = event;
        if (isJsonObject(message)) this.#counts = mergedUsage(this.#counts, message["usage"]);
        return;
      }
      case "content_block_start": {
        const block = event["content_block"];
        return isJsonObject(block) ? this.#block(block, index) : undefined;
      }
      case "content_block_delta":
        return isJsonObject(delta) ? this.#delta(delta, index) : undefined;
      case "message_delta":
        this.#counts = mergedUsage(this.#counts, event["usage"]);
        return isJsonObject(delta) ? this.#stop(delta["stop_reason"]) : undefined;
      case "message_stop":
        this.#stopReason ??= "end_turn";
        this.state = "done";
        return;
      case "error":
        throw classifyErrorObject(event["error"] ?? event, this.#context.identity);
      case "content_block_stop":
      default:
    }
  }

  /** A block begins, or comes whole. */
  #block(block: Json, index: unknown): void {
    switch (block["type"]) {
      case "text":
        this.#order.push({ kind: "text" });
        return this.#say("text", block["text"]);
      case "thinking": {
        const open: OpenThinking = { thinking: "", signature: "" };
        this.#thinking.set(index, open);
        this.#order.push({ kind: "thinking", block: open });
        this.#think(open, block["thinking"]);
        return this.#sign(open, block["signature"]);
      }
      case "redacted_thinking":
        this.#order.push({ kind: "opaque", item: { type: "redacted_thinking", data: block["data"] } });
        return;
      case "tool_use": {
        const { id, name, input } = block;
        this.#order.push({ kind: "call" });
        this.#parts.push(this.#calls.start(index, { id, name }));
        // Streams begin with an empty one; whole messages have it here.
        if (isJsonObject(input) && Object.keys(input).length > 0)
          this.#parts.push(this.#calls.add(index, JSON.stringify(input)));
        return;
      }
      default:
    }
  }

  #delta(delta: Json, index: unknown): void {
    switch (delta["type"]) {
      case "text_delta":
        return this.#say("text", delta["text"]);
      case "thinking_delta":
        return this.#think(this.#thinking.get(index), delta["thinking"]);
      case "signature_delta":
        return this.#sign(this.#thinking.get(index), delta["signature"]);
      case "input_json_delta":
        return this.#parts.push(this.#calls.add(index, delta["partial_json"]));
      default:
    }
  }

  #say(kind: "text" | "reasoning", text: unknown): void {
    if (typeof text === "string") this.#parts.say(kind, text);
  }

  #think(open: OpenThinking | undefined, text: unknown): void {
    this.#say("reasoning", text);
    if (open !== undefined && typeof text === "string") open.thinking += text;
  }

  #sign(open: OpenThinking | undefined, text: unknown): void {
    if (open !== undefined && typeof text === "string") open.signature += text;
  }

  #stop(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.#stopReason = reason;
    if (this.state === "open") this.state = "finishing";
  }

  /** Thinking goes back as it came, with its signature; without one nobody takes it. */
  #kept(): readonly OrderedItem[] {
    return this.#order.flatMap((item): readonly OrderedItem[] => {
      if (item.kind !== "thinking") return [item];
      const { thinking, signature } = item.block;
      return signature === "" ? [] : [{ kind: "opaque", item: { type: "thinking", thinking, signature } }];
    });
  }

  #reason(): Reason {
    // A word of the package's list, or one that is newer and means an ordinary end.
    switch (this.#stopReason as StopReason) {
      case "max_tokens":
      case "model_context_window_exceeded":
        return "length";
      case "refusal":
        return "refusal";
      case "end_turn":
      case "stop_sequence":
      case "tool_use":
      case "pause_turn":
      default:
        return this.#calls.count > 0 ? "tool_calls" : "stop";
    }
  }
}
