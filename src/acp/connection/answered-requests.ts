import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { settledOrAborted } from "../../shared/async/deadline.ts";

/** Milliseconds that a client's last requests have after its input has ended. */
const PATIENCE_MS = 1000;

/** Record of a client's requests that tells when each answer has gone out, so that other messages can follow it. */
export class AnsweredRequests {
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  /** The requests without an answer, by their keys; prompts are left out. */
  readonly #open = new Set<string>();

  /** Resolves when the request of this id is answered; never when the connection ends before. */
  after(requestId: unknown): Promise<void> {
    return this.#afterKey(keyOf(requestId));
  }

  received(message: AnyMessage): void {
    if ("method" in message && "id" in message && message.method !== "session/prompt")
      this.#open.add(keyOf(message.id));
  }

  sent(message: AnyMessage): void {
    if ("method" in message) return;
    const key = keyOf(message.id);
    this.#open.delete(key);
    this.#waiting.get(key)?.resolve();
    this.#waiting.delete(key);
  }

  /**
   * Waits a moment until the last requests are answered: a client that writes all its requests and closes its end still
   * reads the answers. Prompts take longer than a moment; a client that waits for one keeps its end open.
   *
   * @param until - aborts when nobody reads any more
   */
  async settled(until: AbortSignal): Promise<void> {
    if (this.#open.size === 0) return;
    const answers = [...this.#open].map((key) => this.#afterKey(key));
    await settledOrAborted(Promise.all(answers), AbortSignal.any([until, AbortSignal.timeout(PATIENCE_MS)]));
  }

  #afterKey(key: string): Promise<void> {
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<void>();
    this.#waiting.set(key, waiting);
    return waiting.promise;
  }
}

/** The key of a request: 1 and "1" are two requests. */
export const keyOf = (requestId: unknown): string => JSON.stringify(requestId) ?? "";
