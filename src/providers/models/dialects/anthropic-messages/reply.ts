import type {
  ContentBlock,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  StopReason,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelPart } from "../../../../core/index.ts";
import { isJsonObject } from "../../../../shared/json/json.ts";
import { noReply, typedEvent } from "../../reply/reply-errors.ts";
import { DialectReply, type EndReason } from "../../reply/reply-decoder.ts";
import { classifyErrorObject } from "../../errors/provider-error.ts";
import { KeyedCalls } from "../../reply/keyed-calls.ts";
import { type OrderedItem, toOrderedItems } from "../../reply/reply-order.ts";
import { detailsIn, type ReportedUsage, reportedUsage, tokenCount } from "../../reply/reported-usage.ts";

export const MESSAGES_ITEMS = "anthropic-messages";

type Json = Readonly<Record<string, unknown>>;
type Handler = (reply: MessagesReply, event: Json, index: unknown) => void;
type Handlers<Type extends string> = { readonly [T in Type]?: Handler };

interface OpenThinking {
  thinking: string;
  signature: string;
}

/** Decoder of a message, streamed or whole. */
export class MessagesReply extends DialectReply {
  protected readonly calls = new KeyedCalls(this.context.newId);
  readonly #order: (OrderedItem | { readonly kind: "thinking"; readonly block: OpenThinking })[] = [];
  readonly #thinking = new Map<unknown, OpenThinking>();
  #counts: Json = {};
  #stopReason: string | undefined;

  event(name: string, data: string): void {
    const typed = typedEvent(name, data, this.context.identity);
    if (typed !== undefined) MessagesReply.#EVENTS.get(typed.type)?.(this, typed.event, typed.event["index"]);
  }

  document(value: unknown): void {
    if (!isJsonObject(value)) throw noReply(this.context.identity, "message");
    const { content, error } = value;
    if (!Array.isArray(content)) {
      if (error === undefined || error === null) throw noReply(this.context.identity, "message");
      throw classifyErrorObject(error, this.context.identity);
    }
    for (const [index, block] of content.entries()) if (isJsonObject(block)) this.#block(block, index);
    this.#counts = mergedUsage(this.#counts, value["usage"]);
    this.#stop(value["stop_reason"] ?? "end_turn");
    this.state = "done";
  }

  end(): readonly ModelPart[] {
    if (this.#stopReason === undefined) throw this.brokenOff();
    const usage = usageIn(this.#counts);
    const items = toOrderedItems(this.#kept(), { dialect: MESSAGES_ITEMS, reader: this.context.reader });
    return this.finish({ usage, reason: this.#reason(), items });
  }

  /** Handlers of events; an event without one is ignored on purpose. */
  static readonly #EVENTS = new Map<unknown, Handler>(
    Object.entries({
      message_start: (reply, { message }) => {
        if (isJsonObject(message)) reply.#counts = mergedUsage(reply.#counts, message["usage"]);
      },
      content_block_start: (reply, { content_block: block }, index) => {
        if (isJsonObject(block)) reply.#block(block, index);
      },
      content_block_delta: (reply, { delta }, index) => {
        if (isJsonObject(delta)) MessagesReply.#DELTAS.get(delta["type"])?.(reply, delta, index);
      },
      message_delta: (reply, { usage, delta }) => {
        reply.#counts = mergedUsage(reply.#counts, usage);
        if (isJsonObject(delta)) reply.#stop(delta["stop_reason"]);
      },
      message_stop: (reply) => {
        reply.#stopReason ??= "end_turn";
        reply.state = "done";
      },
      error: (reply, event) => {
        throw classifyErrorObject(event["error"] ?? event, reply.context.identity);
      },
    } satisfies Handlers<RawMessageStreamEvent["type"] | "error">),
  );

  /** Handlers of a block that begins, or comes whole. */
  static readonly #BLOCKS = new Map<unknown, Handler>(
    Object.entries({
      text: (reply, { text }) => {
        reply.#order.push({ kind: "text" });
        reply.#say("text", text);
      },
      thinking: (reply, { thinking, signature }, index) => {
        const open: OpenThinking = { thinking: "", signature: "" };
        reply.#thinking.set(index, open);
        reply.#order.push({ kind: "thinking", block: open });
        reply.#think(open, thinking);
        reply.#sign(open, signature);
      },
      redacted_thinking: (reply, { data }) => {
        reply.#order.push({ kind: "opaque", item: { type: "redacted_thinking", data } });
      },
      tool_use: (reply, { id, name, input }, index) => {
        reply.#order.push({ kind: "call" });
        reply.parts.push(reply.calls.start(index, { id, name }));
        // Streams begin with an empty one; whole messages have it here.
        if (isJsonObject(input) && Object.keys(input).length > 0)
          reply.parts.push(reply.calls.add(index, JSON.stringify(input)));
      },
    } satisfies Handlers<ContentBlock["type"]>),
  );

  static readonly #DELTAS = new Map<unknown, Handler>(
    Object.entries({
      text_delta: (reply, { text }) => reply.#say("text", text),
      thinking_delta: (reply, { thinking }, index) => reply.#think(reply.#thinking.get(index), thinking),
      signature_delta: (reply, { signature }, index) => reply.#sign(reply.#thinking.get(index), signature),
      input_json_delta: (reply, { partial_json: json }, index) =>
        reply.parts.push(reply.calls.add(index, json)),
    } satisfies Handlers<RawContentBlockDelta["type"]>),
  );

  #block(block: Json, index: unknown): void {
    MessagesReply.#BLOCKS.get(block["type"])?.(this, block, index);
  }

  #say(kind: "text" | "reasoning", text: unknown): void {
    if (typeof text === "string") this.parts.say(kind, text);
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

  #reason(): EndReason {
    return STOP_REASONS.get(this.#stopReason) ?? (this.calls.count > 0 ? "tool_calls" : "stop");
  }
}

/** Words for ends that are not ordinary ones; any other word, also a newer one, is an ordinary end. */
const STOP_REASONS: ReadonlyMap<unknown, EndReason> = new Map<StopReason, EndReason>([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
]);

/** Counts of a message as they came, the beginning's with what its end corrected. */
function mergedUsage(known: Json, news: unknown): Json {
  const counted = Object.entries(detailsIn(news)).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return { ...known, ...Object.fromEntries(counted) };
}

/** Reads usage whose input has no cached tokens in it; `undefined` when its numbers cannot be true. */
function usageIn(counts: Json): ReportedUsage | undefined {
  const fresh = tokenCount(counts["input_tokens"]);
  if (fresh === undefined) return undefined;
  const cacheRead = tokenCount(counts["cache_read_input_tokens"]) ?? 0;
  const cacheWrite = tokenCount(counts["cache_creation_input_tokens"]) ?? 0;
  return reportedUsage({
    input: fresh + cacheRead + cacheWrite,
    output: counts["output_tokens"],
    cacheRead,
    cacheWrite,
    reasoning: detailsIn(counts["output_tokens_details"])["thinking_tokens"],
  });
}
