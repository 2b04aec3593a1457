import type { Clock } from "../../shared/async/clock.ts";

/** Bytes that a server may send at once. */
const BURST = 32 * 1024 * 1024;
/** Bytes per millisecond that it may go on with for ever. */
const STEADY = 2048;

/** An account of the bytes that a server sends without being asked: complaints, notifications and noise. */
export class FlowGuard {
  readonly #clock: Clock;
  #level = 0;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** Counts bytes; `false` when that was too much. */
  take(bytes: number): boolean {
    const now = this.#clock.monotonic();
    this.#level = Math.max(0, this.#level - (now - this.#at) * STEADY) + bytes;
    this.#at = now;
    return this.#level <= BURST;
  }
}
