import type { Clock } from "../../shared/async/clock.ts";
import type { Store } from "../ports/store.ts";

/** The next follower usually comes soon: telling the store each time would cost each turn two messages. */
const UNWATCH_MS = 5000;

interface WatchPorts {
  readonly store: Store;
  readonly clock: Clock;
  /** Something of the session may have changed in the store. */
  moved(): void;
}

/** Has the store tell of changes to a session for as long as somebody in this process follows it. */
export class SessionWatch {
  readonly #id: string;
  readonly #ports: WatchPorts;
  #followers = 0;
  #watch: AbortController | undefined;
  #cancelUnwatch: () => void = () => undefined;

  constructor(id: string, ports: WatchPorts) {
    this.#id = id;
    this.#ports = ports;
  }

  get followed(): boolean {
    return this.#followers > 0;
  }

  /** Watches until the returned function is called. */
  follow(): () => void {
    const { store, clock } = this.#ports;
    this.#followers += 1;
    this.#cancelUnwatch();
    if (this.#watch === undefined) {
      this.#watch = new AbortController();
      store.watch(this.#id, () => this.#ports.moved(), this.#watch.signal);
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
