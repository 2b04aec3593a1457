import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { settledOrAborted } from "../../shared/async/deadline.ts";

/** Milliseconds that a client's last requests have after its input has ended. */
const PATIENCE_MS = 1000;

/** Record of a client's requests that tells when each answer has gone out, so that other messages can follow it. */
export class AnsweredRequests {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();

  /** Resolves when the request of this id is answered; never when the connection ends before. */
  after(requestId: unknown): Promise<void> {
    const key = keyOf(requestId);
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<void>();
    this.#waiting.set(key, waiting);
    return waiting.promise;
  }

  /** Takes note of a message that was just sent. */
  sent(message: AnyMessage): void {
    if ("method" in message) return;
    const key = keyOf(message.id);
    this.#waiting.get(key)?.resolve();
    this.#waiting.delete(key);
  }

  /**
   * Passes a client's messages on. The messages end when the requests among them are answered, or a moment after the
   * input: a client that writes all its requests and closes its end still reads the answers. Prompts take longer than a
   * moment; a client that waits for one keeps its end open.
   *
   * @param until - aborts when nobody reads any more
   */
  async *untilAnswered(
    messages: AsyncIterable<AnyMessage>,
    until: AbortSignal,
  ): AsyncGenerator<AnyMessage, void> {
    const open = new Set<Promise<void>>();
    for await (const message of messages) {
      if ("method" in message && "id" in message && message.method !== "session/prompt") {
        const answered = this.after(message.id);
        open.add(answered);
        void answered.then(() => open.delete(answered));
      }
      yield message;
    }
    if (open.size === 0) return;
    await settledOrAborted(Promise.all(open), AbortSignal.any([until, AbortSignal.timeout(PATIENCE_MS)]));
  }
}

/** The key of a request: 1 and "1" are two requests. */
export const keyOf = (requestId: unknown): string => JSON.stringify(requestId) ?? "";
