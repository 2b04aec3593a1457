import type { SessionEvent, ToolKind, Usage } from "../../../core/index.ts";
import { encodeSse } from "../../server/encode-sse.ts";
import { type TurnAnswer, TurnAnswerFold } from "../../turns/turn-answer.ts";
import type { ChatReceipt } from "./chat-session.ts";

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

/** How an answer falls short of a whole one; `undefined` when it does not. */
export interface Shortfall {
  readonly completed: false;
  readonly partial: boolean;
  readonly failed: boolean;
  readonly error: string;
  readonly error_code: string;
}

export function shortfallOf(answer: TurnAnswer): Shortfall | undefined {
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

/** How an answer is to be told. */
export interface ChatForm {
  /** With what the model thought, as `reasoning_content`. */
  readonly reasoning: boolean;
}

/** The whole answer. */
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
    ...(shortfall === undefined ? {} : { agent: shortfall }),
  };
}

/** Makes the frames of a streamed answer of the events of its turn. */
export class ChatEncoder {
  readonly #fold = new TurnAnswerFold();
  /** All chunks begin the same. */
  readonly #head: string;
  readonly #running = new Set<string>();
  readonly #reasoning: boolean;
  #said = false;

  constructor({ id, created, model }: ChatReceipt, { reasoning }: ChatForm) {
    this.#reasoning = reasoning;
    const head = JSON.stringify({ id, object: "chat.completion.chunk", created, model });
    this.#head = head.slice(0, -1);
  }

  /** The first frame. */
  begin(): string {
    return this.#chunk({ role: "assistant" }, null);
  }

  event(event: SessionEvent): string {
    switch (event.type) {
      case "message.delta":
        // That something was said matters at the end; what was said is not kept.
        if (!this.#said) this.#fold.add(event);
        this.#said = true;
        return this.#text("content", event.text);
      case "reasoning.delta":
        return this.#reasoning ? this.#text("reasoning_content", event.text) : "";
      case "tool.start": {
        const { callId, name, kind, label } = event;
        if (name.startsWith("_")) return "";
        this.#running.add(callId);
        return this.#progress({
          tool: name,
          emoji: EMOJI[kind],
          label,
          toolCallId: callId,
          status: "running",
        });
      }
      case "tool.complete": {
        const { callId, name } = event;
        if (!this.#running.delete(callId)) return "";
        return this.#progress({ tool: name, toolCallId: callId, status: "completed" });
      }
      default:
        this.#fold.add(event);
        return "";
    }
  }

  /** The last frames. */
  end(): string {
    const { answer } = this.#fold;
    const shortfall = shortfallOf(answer);
    const failure =
      shortfall === undefined
        ? {}
        : { error: { message: shortfall.error, type: shortfall.error_code }, agent: shortfall };
    const { usage } = answer;
    return `${this.#chunk({}, finishOf(answer), { usage: encodeUsage(usage), ...failure })}${DONE}`;
  }

  /** The last frames of an answer that cannot be read any more. */
  failed(message: string): string {
    return `${this.#chunk({}, "error", { error: { message, type: "server_error" } })}${DONE}`;
  }

  /** By far the most frequent frame: only its text is encoded. */
  #text(field: "content" | "reasoning_content", text: string): string {
    return `data: ${this.#head},"choices":[{"index":0,"delta":{"${field}":${JSON.stringify(text)}},"finish_reason":null}]}\n\n`;
  }

  #chunk(delta: object, finish: FinishWord | null, more: object = {}): string {
    const rest = JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...more });
    return `data: ${this.#head},${rest.slice(1)}\n\n`;
  }

  /** Its data is a legal chunk that adds nothing: who takes every event's data for one, and its first choice, does not stumble. */
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
