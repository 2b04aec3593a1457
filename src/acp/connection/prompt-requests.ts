import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { isJsonObject } from "../../shared/json/json.ts";
import { type AnsweredRequests, keyOf } from "./answered-requests.ts";

/** A prompt request of a client, from the moment it came in until it is answered. */
export interface PromptRequest {
  readonly sessionId: string;
  /** Aborts when the client takes the request back, in whichever way. */
  readonly signal: AbortSignal;
  /** Resolves when the request is answered. */
  readonly answered: Promise<void>;
  /** The prompt is open beyond its answer, until this settles. */
  hold(until: Promise<unknown>): void;
}

interface Entry {
  readonly sessionId: string;
  readonly controller: AbortController;
  isHeld: boolean;
}

/**
 * Knows which prompts of a connection are open. It sees messages in the order in which they came, before their handlers
 * run: a cancel that follows its prompt at once is never too early for it.
 */
export class PromptRequests {
  readonly #answers: AnsweredRequests;
  readonly #open = new Map<string, Entry>();

  constructor(answers: AnsweredRequests) {
    this.#answers = answers;
  }

  /** Takes note of a message as it comes in. */
  note(message: AnyMessage): void {
    if (!("method" in message) || !isJsonObject(message.params)) return;
    const { sessionId, requestId } = message.params;
    switch (message.method) {
      case "session/prompt":
        if ("id" in message && typeof sessionId === "string") this.#add(message.id, sessionId);
        return;
      case "session/cancel":
        for (const ticket of this.#open.values()) {
          if (ticket.sessionId === sessionId) ticket.controller.abort();
        }
        return;
      case "$/cancel_request":
        this.#open.get(keyOf(requestId))?.controller.abort();
        return;
      default:
    }
  }

  /** The ticket of a request whose handler runs. */
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
      hold(until) {
        entry.isHeld = true;
        until.then(close, close);
      },
    };
  }

  #add(requestId: unknown, sessionId: string): void {
    const key = keyOf(requestId);
    const entry = newEntry(sessionId);
    this.#open.set(key, entry);
    void this.#answers.after(requestId).then(() => {
      if (!entry.isHeld) this.#open.delete(key);
    });
  }
}

const newEntry = (sessionId: string): Entry => ({
  sessionId,
  controller: new AbortController(),
  isHeld: false,
});
