import type { Client } from "./client.ts";

/** Milliseconds between two looks; news in between wait. */
const EVERY_MS = 1000;

/** A count of the other sessions, and whether one of them waits for an answer. */
export class OtherSessions {
  readonly #client: Client;
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = -Infinity;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Something about the sessions has changed. */
  look(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#lookedAt + EVERY_MS - this.#client.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#lookedAt = this.#client.now();
      // It is looked again when something changes: an answer that is missed is made up for then.
      this.#ask().catch(() => undefined);
    }, wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    const { controller, store } = this.#client;
    const { sessions } = await controller.request("session.active_list", {});
    const waiting = sessions.filter(
      ({ id, status }) => id !== controller.sessionId && status === "waiting",
    ).length;
    const { others } = store.state;
    if (others.open !== sessions.length || others.waiting !== waiting)
      store.update({ others: { open: sessions.length, waiting } });
  }
}
