import type { Clock } from "../../shared/async/clock.ts";

const WINDOW_MS = 60_000;

/** A limit of calls for each name. */
export interface CallLimit {
  /** Counts a call; gives the milliseconds until there is room for it when there is none. */
  take(name: string): number | Promise<number>;
}

/**
 * A limit of calls in any sixty seconds, for each name, in this process; the window slides, so that no edge lets twice as many through.
 */
export class RateLimit implements CallLimit {
  readonly #clock: Clock;
  readonly #limit: number;
  /** Times of the newest calls of each name, at most `limit`, the oldest first. */
  readonly #calls = new Map<string, number[]>();

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  take(name: string): number {
    if (this.#limit === 0) return 0;
    const now = this.#clock.monotonic();
    const calls = this.#calls.get(name) ?? [];
    this.#calls.set(name, calls);
    const oldest = calls[0];
    if (calls.length >= this.#limit && oldest !== undefined) {
      const left = oldest + WINDOW_MS - now;
      if (left > 0) return left;
      calls.shift();
    }
    calls.push(now);
    return 0;
  }
}
