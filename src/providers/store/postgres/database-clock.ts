import type { Clock } from "../../../shared/async/clock.ts";

/** The time of the database, by which all machines go; durations and timers are this machine's own. */
export class DatabaseClock implements Clock {
  readonly #own: Clock;
  #offset: number | undefined;

  constructor(own: Clock) {
    this.#own = own;
  }

  now(): number {
    return this.#offset === undefined ? this.#own.now() : Math.round(this.#own.monotonic() + this.#offset);
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  after(ms: number, run: () => void, holds?: boolean): () => void {
    return this.#own.after(ms, run, holds);
  }

  /** The database's time, Unix milliseconds, as it was at a moment of the monotonic clock. */
  told(now: number, at: number): void {
    this.#offset = now - at;
  }
}
