import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";

/** Tells when the answer to a request has gone out, so that what must follow it follows it. */
export class AnsweredRequests {
  readonly #awaited = new Map<string, PromiseWithResolvers<void>>();

  /** Resolves when the request of this id is answered; never when the connection ends before. */
  after(requestId: unknown): Promise<void> {
    const key = keyOf(requestId);
    const waiting = this.#awaited.get(key) ?? Promise.withResolvers<void>();
    this.#awaited.set(key, waiting);
    return waiting.promise;
  }

  /** Takes note of a message that was just sent. */
  note(message: AnyMessage): void {
    if ("method" in message) return;
    const key = keyOf(message.id);
    this.#awaited.get(key)?.resolve();
    this.#awaited.delete(key);
  }
}

/** 1 and "1" are two requests. */
export const keyOf = (requestId: unknown): string => JSON.stringify(requestId) ?? "";
