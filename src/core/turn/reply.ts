import { defined } from "../../shared/json/defined.ts";
import { sleep } from "../../shared/async/clock.ts";
import { errorRecord, HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { FinishReason, ReplyItems, ToolCall } from "../events/reply.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import type { ModelPart, ModelRequest } from "../ports/model.ts";
import type { StreamRedactor } from "../../shared/text/redact.ts";
import {
  type PendingEvent,
  type PendingReply,
  type TurnContext,
  type TurnStep,
  turnState,
} from "./turn-context.ts";
import { NO_USAGE, type Usage } from "../events/usage.ts";

/**
 * Makes one model call and streams its reply. A call that fails before it showed anything is tried again, as often and
 * as late as policy and provider allow, and then with the models that are configured to stand in.
 *
 * @throws HostError `provider_*`, `model_*`, `limit_exceeded`
 */
export async function* streamReply(turn: TurnContext): AsyncGenerator<TurnStep, PendingReply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = new ReplyInProgress(turn);
    try {
      return yield* reply.stream();
    } catch (thrown) {
      const error = toHostError(thrown);
      if (turn.signal.aborted || reply.shown) throw error;
      const wait = retryDelay(turn, error, attempt);
      if (wait === undefined) {
        yield [fallBack(turn, error)];
        attempt = 0;
        continue;
      }
      const { clock } = turn.services;
      yield [
        {
          type: "model.retry",
          turnId: turn.turnId,
          attempt,
          error: errorRecord(error),
          until: clock.now() + wait,
        },
      ];
      await sleep(clock, wait, turn.signal);
      turn.signal.throwIfAborted();
    }
  }
}

/**
 * Lets another model stand in for the one that failed.
 *
 * @throws HostError the failure, when there is no other
 */
function fallBack(turn: TurnContext, error: HostError): PendingEvent {
  const failed = turn.model.current();
  const model = turn.model.fallBack(error);
  if (model === undefined) throw error;
  const text = `${failed.provider}:${failed.name} failed, ${model.provider}:${model.name} stands in. ${error.message}`;
  return { type: "notice", level: "warn", kind: "model.fallback", text };
}

const RETRYABLE = new Set([
  "provider_rate_limit",
  "provider_overloaded",
  "provider_network",
  "provider_stalled",
]);

/** Gives the milliseconds until the next attempt; `undefined` when there is none. */
function retryDelay(turn: TurnContext, error: HostError, attempt: number): number | undefined {
  const { services } = turn;
  const { tries, baseMs, capMs, longestWaitMs } = services.policy().retry;
  if (!RETRYABLE.has(error.code) || attempt >= tries) return undefined;
  // Full jitter: clients that failed together do not come back together.
  const backoff = services.random() * Math.min(capMs, baseMs * 2 ** (attempt - 1));
  const wait = Math.max(backoff, error.details.retryAfterMs ?? 0);
  if (wait > longestWaitMs) return undefined;
  // A retry after the time that the provider named makes nothing worse; all others share a budget.
  const isNamed = error.code === "provider_rate_limit" && error.details.retryAfterMs !== undefined;
  return isNamed || turn.model.current().mayRetry?.() !== false ? wait : undefined;
}

/** One attempt at a model call. */
class ReplyInProgress {
  readonly #turn: TurnContext;
  readonly #text: StreamRedactor;
  readonly #reasoning: StreamRedactor;
  readonly #calls: Extract<ModelPart, { type: "call.end" }>[] = [];
  #separator: string;
  #size = 0;
  #usage: Usage = { ...NO_USAGE, calls: 1 };
  #finish: FinishReason = "stop";
  #items: ReplyItems | undefined;
  #firstAt: number | undefined;
  /** The room that a part needs which was taken at once; it may reject. */
  #room: Promise<void> | undefined;
  /** Nothing is taken any more: what a model still offers would stand in another reply. */
  #isRead = false;

  constructor(turn: TurnContext) {
    this.#turn = turn;
    const redactor = turn.services.redactor();
    this.#text = redactor.stream();
    this.#reasoning = redactor.stream();
    this.#separator = turnState(turn).said ? "\n\n" : "";
  }

  /** Some of this reply was shown: it must not be asked for again. */
  get shown(): boolean {
    return this.#size > 0;
  }

  async *stream(): AsyncGenerator<TurnStep, PendingReply> {
    const { turnId, signal, services } = this.#turn;
    const model = this.#turn.model.current();
    const conversation = await this.#turn.conversation();
    const request = await this.#request(conversation.messages());
    const askedAt = services.clock.now();
    const parts = model.stream(request);
    parts.offerTo?.((part) => this.#takeAtOnce(part));
    try {
      for await (const part of parts) {
        signal.throwIfAborted();
        if (this.#room !== undefined) await this.#untilRoom();
        if (part.type === "notice") {
          yield [{ type: "notice", level: "warn", kind: "model.context", text: part.text }];
          continue;
        }
        const room = this.#take(part);
        if (room !== undefined) await room;
      }
    } finally {
      this.#isRead = true;
    }
    await this.#untilRoom();
    signal.throwIfAborted();
    await this.#show("text", this.#text.flush());
    await this.#show("reasoning", this.#reasoning.flush());
    const { cost: _unknown, ...counted } = this.#usage;
    const cost = services.models().price(model, counted);
    return {
      type: "reply.complete",
      turnId,
      calls: this.#toolCalls((id) => conversation.hasCall(id)),
      finish: this.#finish,
      usage: cost === undefined ? counted : { ...counted, cost },
      provider: model.provider,
      model: model.name,
      askedAt,
      ...defined({ items: this.#items, firstAt: this.#firstAt }),
    };
  }

  async #request(messages: ModelRequest["messages"]): Promise<ModelRequest> {
    const { services, signal, log, writer } = this.#turn;
    const { reasoning, fast } = writer.plannedState.settings;
    return {
      ...(await this.#turn.preamble.beginning()),
      messages,
      cacheKey: log.id,
      signal,
      loadBlob: ({ hash }) => services.store.getBlob(hash),
      ...defined({ reasoning, fast }),
    };
  }

  /** Takes text while the loop waits for a part: it is shown before anything else runs. */
  #takeAtOnce(part: ModelPart): boolean {
    if (this.#isRead || this.#room !== undefined || this.#turn.signal.aborted) return false;
    if (part.type !== "text" && part.type !== "reasoning") return false;
    try {
      this.#room = this.#take(part);
      return true;
    } catch (thrown) {
      // The part comes to the loop, which learns of this first.
      this.#room = Promise.reject(thrown);
      this.#room.catch(() => undefined);
      return false;
    }
  }

  async #untilRoom(): Promise<void> {
    await this.#room;
    this.#room = undefined;
  }

  /** Takes a part, and returns what to wait for before the next one. */
  #take(part: Exclude<ModelPart, { type: "notice" }>): Promise<void> | undefined {
    if (part.type !== "waiting") this.#firstAt ??= this.#turn.services.clock.now();
    switch (part.type) {
      case "waiting":
        return this.#turn.show({ type: "status.update", kind: "rate_limit", text: part.text });
      case "text":
        return this.#show("text", this.#text.push(part.text));
      case "reasoning":
        return this.#show("reasoning", this.#reasoning.push(part.text));
      case "call.start":
        return this.#turn.show({ type: "tool.generating", name: part.name });
      case "call.delta":
        return undefined;
      case "call.end":
        this.#calls.push(part);
        return undefined;
      case "usage":
        this.#usage = { ...part.usage, calls: 1 };
        return undefined;
      case "finish":
        this.#finish = part.reason;
        this.#items = part.items;
        return undefined;
    }
  }

  #show(kind: "text" | "reasoning", text: string): Promise<void> | undefined {
    if (text === "") return undefined;
    const { replyText } = this.#turn.services.policy().limits;
    this.#size += text.length;
    if (this.#size > replyText) {
      throw new HostError(
        "limit_exceeded",
        `The reply is longer than ${replyText} characters (limits.replyText).`,
      );
    }
    if (kind === "reasoning") return this.#turn.show({ type: "reasoning.delta", text });
    const separated = this.#separator + text;
    this.#separator = "";
    return this.#turn.show({ type: "message.delta", text: separated });
  }

  /** Gives the calls ids and names that every dialect accepts, and parses their arguments. */
  #toolCalls(known: (callId: string) => boolean): readonly ToolCall[] {
    const taken = new Set<string>();
    return this.#calls.map(({ id, name, arguments: text }) => {
      const fresh = LEGAL_ID.test(id) && !taken.has(id) && !known(id);
      const unique = fresh ? id : `call_${this.#turn.services.hex(8)}`;
      taken.add(unique);
      const call = { id: unique, name: LEGAL_NAME.test(name) ? name : "unknown_tool" };
      const input = this.#parse(text);
      return input === undefined
        ? { ...call, input: {}, malformed: text.slice(0, MALFORMED_SHOWN) }
        : { ...call, input };
    });
  }

  #parse(text: string): Record<string, unknown> | undefined {
    if (text.trim() === "") return {};
    // A reply that was cut off may end inside the arguments: mended, they would say something else.
    const attempts = this.#finish === "length" ? [text] : [text, () => this.#turn.services.repairJson(text)];
    for (const attempt of attempts) {
      try {
        const value = parseForeignJson(typeof attempt === "string" ? attempt : attempt());
        if (isJsonObject(value)) return value;
      } catch {
        // The next attempt, or the model is told that its arguments were no JSON object.
      }
    }
    return undefined;
  }
}

/** Ids and names that every dialect accepts. */
const LEGAL_ID = /^[A-Za-z0-9_-]{1,40}$/;
const LEGAL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MALFORMED_SHOWN = 2000;
