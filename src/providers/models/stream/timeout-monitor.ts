import type { Clock } from "../../../shared/async/clock.ts";

/** Why a watchdog bit: one of its timeouts, by name. */
export type TimeoutKind = "read" | "stale" | "whole" | "tail";

/** Milliseconds; an absent one is not watched. */
export interface TimeoutLimits {
  readonly read?: number;
  readonly stale?: number;
  readonly whole?: number;
  /** After `finishing()`: the answer is complete, only its end marker may come. */
  readonly tail?: number;
}

/**
 * Watches one answer arrive. Time that the reader of the answer takes for itself is not counted: between `rest` and
 * `wake` no deadline comes nearer. One timer at a time, looked at when it rings: noting a byte costs two numbers.
 */
export class TimeoutMonitor {
  readonly #clock: Clock;
  readonly #limits: TimeoutLimits;
  readonly #bite: (why: TimeoutKind) => void;
  readonly #since: Record<TimeoutKind, number>;
  #watched: readonly TimeoutKind[];
  #cancel: (() => void) | undefined;
  #restingSince: number | undefined;

  /** @param bite - called at most once, when a deadline is over */
  constructor(clock: Clock, limits: TimeoutLimits, bite: (why: TimeoutKind) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#bite = bite;
    const now = clock.monotonic();
    this.#since = { read: now, stale: now, whole: now, tail: now };
    this.#watched = ["read", "stale", "whole"];
    this.#arm(now);
  }

  /** Bytes arrived. */
  bytes(): void {
    this.#since.read = this.#clock.monotonic();
  }

  /** Something arrived that says something. */
  progress(): void {
    this.#since.stale = this.#clock.monotonic();
  }

  /** The reply is complete: from now on only the wait for its end marker is watched. */
  finishing(): void {
    if (this.#watched.includes("tail")) return;
    const now = this.#clock.monotonic();
    this.#since.tail = now;
    this.#watched = ["tail"];
    this.#arm(now);
  }

  pause(): void {
    this.#restingSince = this.#clock.monotonic();
  }

  resume(): void {
    if (this.#restingSince === undefined) return;
    const now = this.#clock.monotonic();
    const rested = now - this.#restingSince;
    this.#restingSince = undefined;
    if (rested > 0) for (const why of this.#watched) this.#since[why] += rested;
    if (this.#cancel === undefined) this.#arm(now);
  }

  /** No deadline counts any more. */
  stop(): void {
    this.#watched = [];
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #left(why: TimeoutKind, now: number): number {
    return this.#since[why] + (this.#limits[why] ?? Number.POSITIVE_INFINITY) - now;
  }

  #arm(now: number): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const wait = Math.min(...this.#watched.map((why) => this.#left(why, now)));
    if (Number.isFinite(wait)) this.#cancel = this.#clock.after(Math.max(0, wait), () => this.#ring());
  }

  #ring(): void {
    this.#cancel = undefined;
    if (this.#restingSince !== undefined) return;
    const now = this.#clock.monotonic();
    const over = this.#watched.find((why) => this.#left(why, now) <= 0);
    if (over === undefined) return this.#arm(now);
    this.stop();
    this.#bite(over);
  }
}
