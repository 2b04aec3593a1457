import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { isJsonObject } from "../../core/index.ts";
import { type Answers, keyOf } from "../wire/answers.ts";

/** A prompt request of a client, from the moment it came in until it is answered. */
export interface Ticket {
  readonly sessionId: string;
  /** Aborts when the client takes the request back, in whichever way. */
  readonly signal: AbortSignal;
  /** Resolves when the request is answered. */
  readonly answered: Promise<void>;
}

/**
 * Knows which prompts of a connection are open. It sees messages in the order in which they came, before their handlers
 * run: a cancel that follows its prompt at once is never too early for it.
 */
export class PromptTickets {
  readonly #answers: Answers;
  readonly #open = new Map<string, { readonly sessionId: string; readonly controller: AbortController }>();

  constructor(answers: Answers) {
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
  take(requestId: unknown, sessionId: string): Ticket {
    const { controller } = this.#open.get(keyOf(requestId)) ?? { controller: new AbortController() };
    return { sessionId, signal: controller.signal, answered: this.#answers.after(requestId) };
  }

  #add(requestId: unknown, sessionId: string): void {
    const key = keyOf(requestId);
    this.#open.set(key, { sessionId, controller: new AbortController() });
    void this.#answers.after(requestId).then(() => this.#open.delete(key));
  }
}
