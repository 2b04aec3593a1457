import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { isJsonObject } from "../../shared/json/json.ts";
import { type AnsweredRequests, keyOf } from "./answered-requests.ts";

/** A request that sends a prompt, from the moment it came in until it is answered. */
export interface PromptRequest {
  readonly sessionId: string;
  /** Aborts when the client cancels the request or the work of its session. */
  readonly signal: AbortSignal;
  readonly answered: Promise<void>;
  /** Keeps the prompt open beyond its answer, until this settles. */
  keepOpen(until: Promise<unknown>): void;
}

interface Entry {
  readonly sessionId: string;
  readonly controller: AbortController;
  outlivesAnswer: boolean;
}

/**
 * The open prompt requests of a connection. Messages are noted in the order in which they came, before their handlers
 * run: a cancel that follows its prompt at once is never too early.
 */
export class PromptRequests {
  readonly #answers: AnsweredRequests;
  readonly #open = new Map<string, Entry>();

  constructor(answers: AnsweredRequests) {
    this.#answers = answers;
  }

  received(message: AnyMessage): void {
    if (!("method" in message) || !isJsonObject(message.params)) return;
    const { sessionId, requestId } = message.params;
    switch (message.method) {
      case "session/prompt":
      case "_session/steering":
        if ("id" in message && typeof sessionId === "string") this.#add(message.id, sessionId);
        return;
      case "session/cancel":
      case "session/close":
      case "session/delete":
      case "session/archive":
        for (const entry of this.#open.values()) if (entry.sessionId === sessionId) entry.controller.abort();
        return;
      case "$/cancel_request":
        this.#open.get(keyOf(requestId))?.controller.abort();
        return;
      default:
    }
  }

  /** Gives the prompt request whose handler runs. */
  take(requestId: unknown, sessionId: string): PromptRequest {
    const key = keyOf(requestId);
    const entry = this.#open.get(key) ?? newEntry(sessionId);
    const close = (): void => {
      if (this.#open.get(key) === entry) this.#open.delete(key);
    };
    return {
      sessionId,
      signal: entry.controller.signal,
      answered: this.#answers.after(requestId),
      keepOpen(until) {
        entry.outlivesAnswer = true;
        until.then(close, close);
      },
    };
  }

  #add(requestId: unknown, sessionId: string): void {
    const key = keyOf(requestId);
    const entry = newEntry(sessionId);
    this.#open.set(key, entry);
    void this.#answers.after(requestId).then(() => {
      if (!entry.outlivesAnswer) this.#open.delete(key);
    });
  }
}

const newEntry = (sessionId: string): Entry => ({
  sessionId,
  controller: new AbortController(),
  outlivesAnswer: false,
});
