import type { Clock } from "../../shared/async/clock.ts";

/** Bytes that a server may send at once. */
const BURST = 32 * 1024 * 1024;
/** Bytes per millisecond that it may go on with for ever. */
const STEADY = 2048;

/**
 * Keeps account of what a server sends without being asked: complaints, notifications and noise. Answers do not count.
 */
export class FlowGuard {
  readonly #clock: Clock;
  #level = 0;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** Takes account of bytes; `false` when that was too much. */
  take(bytes: number): boolean {
    const now = this.#clock.monotonic();
    this.#level = Math.max(0, this.#level - (now - this.#at) * STEADY) + bytes;
    this.#at = now;
    return this.#level <= BURST;
  }
}

export const FLOODED = "it sent more than 32 MB that nobody had asked for";

/** Bytes of one message. */
export const LARGEST_SERVER_MESSAGE = 10 * 1024 * 1024;
export const TOO_LARGE = "it sent a message of more than 10 MB";
