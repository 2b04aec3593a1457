import type { SessionEvent, ToolKind, Usage } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { encodeSse } from "../../server/encode-sse.ts";
import { type TurnAnswer, TurnAnswerFold } from "../../turns/turn-answer.ts";
import { type ByType, callByType } from "../../../shared/union/by-type.ts";
import { QUIET_EVENTS, forTypes } from "../../turns/event-encoders.ts";
import type { Receipt } from "../../turns/idempotency.ts";
import type { TurnEncoder } from "../../turns/stream-turn.ts";

/** The receipt of a chat completion: all frames of its answer begin with it. */
export interface ChatReceipt extends Receipt {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
  /** The answer's `X-Agent-Session-Id`. */
  readonly session: string;
}

function encodeUsage({ input, output, cacheRead, reasoning }: Usage) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

type FinishWord = "stop" | "length" | "error";

function finishOf({ outcome, finish }: TurnAnswer): FinishWord {
  if (outcome !== "completed") return "error";
  return finish === "length" ? "length" : "stop";
}

/** Tells how an answer falls short of a whole one; `undefined` when it does not. */
export function shortfallOf(answer: TurnAnswer) {
  const { outcome, error, text } = answer;
  const word = finishOf(answer);
  if (word === "stop") return undefined;
  const cut = word === "length";
  return {
    completed: false,
    partial: text !== "",
    failed: outcome === "failed",
    error: cut
      ? "The model's output was cut: it reached its limit."
      : (error?.message ?? OUTCOMES[outcome ?? "interrupted"]),
    error_code: cut ? "output_truncated" : (error?.code ?? "agent_error"),
  };
}

const OUTCOMES = {
  completed: "The turn ended without an answer.",
  failed: "The turn failed.",
  cancelled: "The turn was cancelled.",
  interrupted: "The turn was interrupted: the server stopped before it ended.",
} as const;

/** The form of an answer. */
export interface ChatForm {
  /** With the model's reasoning, as `reasoning_content`. */
  readonly reasoning: boolean;
}

/** Encodes the whole answer. */
export function encodeChat(receipt: ChatReceipt, answer: TurnAnswer, { reasoning }: ChatForm) {
  const shortfall = shortfallOf(answer);
  const thoughts = reasoning && answer.reasoning !== "" ? { reasoning_content: answer.reasoning } : {};
  return {
    id: receipt.id,
    object: "chat.completion",
    created: receipt.created,
    model: receipt.model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: answer.text, refusal: null, ...thoughts },
        logprobs: null,
        finish_reason: finishOf(answer),
      },
    ],
    usage: encodeUsage(answer.usage),
    ...defined({ agent: shortfall }),
  };
}

/** The encoder of a streamed chat completion. */
export class ChatEncoder implements TurnEncoder {
  static readonly #encoders: ByType<SessionEvent, ChatEncoder, string> = {
    ...forTypes(
      [...QUIET_EVENTS, "turn.start", "reply.complete", "turn.end", "prompt.dropped"],
      (event: SessionEvent, self: ChatEncoder) => {
        self.#fold.add(event);
        return "";
      },
    ),
    "message.delta": (event, self) => {
      // At the end it matters only that there is text; the text itself is not kept.
      if (!self.#hasText) self.#fold.add(event);
      self.#hasText = true;
      return self.#text("content", event.text);
    },
    "reasoning.delta": ({ text }, self) => (self.#reasoning ? self.#text("reasoning_content", text) : ""),
    "tool.start": ({ callId, name, kind, label }, self) => {
      if (name.startsWith("_")) return "";
      self.#running.add(callId);
      return self.#progress({ tool: name, emoji: EMOJI[kind], label, toolCallId: callId, status: "running" });
    },
    "tool.complete": ({ callId, name }, self) =>
      self.#running.delete(callId)
        ? self.#progress({ tool: name, toolCallId: callId, status: "completed" })
        : "",
  };

  readonly #fold = new TurnAnswerFold();
  /** The beginning of every chunk. */
  readonly #head: string;
  readonly #running = new Set<string>();
  readonly #reasoning: boolean;
  #hasText = false;

  constructor({ id, created, model }: ChatReceipt, { reasoning }: ChatForm) {
    this.#reasoning = reasoning;
    const head = JSON.stringify({ id, object: "chat.completion.chunk", created, model });
    this.#head = head.slice(0, -1);
  }

  begin(): string {
    return this.#chunk({ role: "assistant" }, null);
  }

  event(event: SessionEvent): string {
    return callByType(ChatEncoder.#encoders, event, this);
  }

  end(): string {
    const { answer } = this.#fold;
    const shortfall = shortfallOf(answer);
    const error = shortfall && { message: shortfall.error, type: shortfall.error_code };
    const more = { usage: encodeUsage(answer.usage), ...defined({ error, agent: shortfall }) };
    return `${this.#chunk({}, finishOf(answer), more)}${DONE}`;
  }

  failed(): string {
    const error = { message: "The answer could not be read to its end.", type: "server_error" };
    return `${this.#chunk({}, "error", { error })}${DONE}`;
  }

  /** By far the most frequent frame: only its text is encoded. */
  #text(field: "content" | "reasoning_content", text: string): string {
    return `data: ${this.#head},"choices":[{"index":0,"delta":{"${field}":${JSON.stringify(text)}},"finish_reason":null}]}\n\n`;
  }

  #chunk(delta: object, finish: FinishWord | null, more: object = {}): string {
    const rest = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...more });
    return `data: ${this.#head},${rest.slice(1)}\n\n`;
  }

  /** Its data is a legal chunk that adds nothing: a client that takes every event for a chunk can read it. */
  #progress(progress: object): string {
    const rest = JSON.stringify({ choices: NOTHING_NEW, ...progress });
    return encodeSse({ event: "agent.tool.progress", data: `${this.#head},${rest.slice(1)}` });
  }
}

const NOTHING_NEW = [{ index: 0, delta: {}, finish_reason: null }];

const DONE = encodeSse({ data: "[DONE]" });

const EMOJI: Readonly<Record<ToolKind, string>> = {
  read: "📖",
  edit: "✏️",
  delete: "🗑️",
  move: "📦",
  search: "🔍",
  execute: "💻",
  think: "💭",
  fetch: "🌐",
  other: "🔧",
};
