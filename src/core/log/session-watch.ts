import type { Services } from "../ports/services.ts";

/** Milliseconds that the watch stays after the last follower: the next one usually comes soon, and telling the store each time would cost each turn two messages. */
const UNWATCH_MS = 5000;

/** A session's watch in the store: it tells of changes for as long as somebody in this process follows the session. */
export class SessionWatch {
  readonly #id: string;
  readonly #services: Pick<Services, "store" | "clock">;
  readonly #changed: () => void;
  #followers = 0;
  #watch: AbortController | undefined;
  #cancelUnwatch: () => void = () => undefined;

  /** @param changed - told that something of the session may have changed in the store */
  constructor(id: string, services: Pick<Services, "store" | "clock">, changed: () => void) {
    this.#id = id;
    this.#services = services;
    this.#changed = changed;
  }

  get followed(): boolean {
    return this.#followers > 0;
  }

  /** Watches until the returned function is called. */
  follow(): () => void {
    const { store, clock } = this.#services;
    this.#followers += 1;
    this.#cancelUnwatch();
    if (this.#watch === undefined) {
      this.#watch = new AbortController();
      store.watch(this.#id, this.#changed, this.#watch.signal);
    }
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#followers -= 1;
      if (this.#followers === 0) this.#cancelUnwatch = clock.after(UNWATCH_MS, () => this.#unwatch());
    };
  }

  close(): void {
    this.#cancelUnwatch();
    this.#unwatch();
  }

  #unwatch(): void {
    this.#watch?.abort();
    this.#watch = undefined;
  }
}
