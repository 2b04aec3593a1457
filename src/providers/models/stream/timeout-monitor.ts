import type { Clock } from "../../../shared/async/clock.ts";

/** The name of a timeout of a call. */
export type TimeoutKind = "read" | "stale" | "whole" | "tail";

/** The timeouts of one call in milliseconds; an absent one is not watched. */
export interface TimeoutLimits {
  readonly read?: number;
  readonly stale?: number;
  readonly whole?: number;
  /** After `finishing()`: the answer is complete, only its end marker may come. */
  readonly tail?: number;
}

/**
 * Monitor of the timeouts of one answer. The time between `pause` and `resume`, which the reader of the answer takes for
 * itself, does not count. It has one timer and checks the timeouts when that fires, so that noting a byte is cheap.
 */
export class TimeoutMonitor {
  readonly #clock: Clock;
  readonly #limits: TimeoutLimits;
  readonly #onTimeout: (why: TimeoutKind) => void;
  readonly #since: Record<TimeoutKind, number>;
  #watched: readonly TimeoutKind[];
  #cancel: (() => void) | undefined;
  #pausedSince: number | undefined;

  /** @param onTimeout - called at most once, when a timeout is reached */
  constructor(clock: Clock, limits: TimeoutLimits, onTimeout: (why: TimeoutKind) => void) {
    this.#clock = clock;
    this.#limits = limits;
    this.#onTimeout = onTimeout;
    const now = clock.monotonic();
    this.#since = { read: now, stale: now, whole: now, tail: now };
    this.#watched = ["read", "stale", "whole"];
    this.#arm(now);
  }

  /** Notes that bytes arrived. */
  bytes(): void {
    this.#since.read = this.#clock.monotonic();
  }

  /** Notes that bytes with a part of the reply arrived. */
  progress(): void {
    this.#since.read = this.#since.stale = this.#clock.monotonic();
  }

  /** Notes that the reply is complete: from now on only the wait for its end marker is limited. */
  finishing(): void {
    if (this.#watched.includes("tail")) return;
    const now = this.#clock.monotonic();
    this.#since.tail = now;
    this.#watched = ["tail"];
    this.#arm(now);
  }

  pause(): void {
    this.#pausedSince = this.#clock.monotonic();
  }

  resume(): void {
    if (this.#pausedSince === undefined) return;
    const now = this.#clock.monotonic();
    const paused = now - this.#pausedSince;
    this.#pausedSince = undefined;
    if (paused > 0) for (const why of this.#watched) this.#since[why] += paused;
    if (this.#cancel === undefined) this.#arm(now);
  }

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
    if (Number.isFinite(wait)) this.#cancel = this.#clock.after(Math.max(0, wait), () => this.#check());
  }

  #check(): void {
    this.#cancel = undefined;
    if (this.#pausedSince !== undefined) return;
    const now = this.#clock.monotonic();
    const over = this.#watched.find((why) => this.#left(why, now) <= 0);
    if (over === undefined) return this.#arm(now);
    this.stop();
    this.#onTimeout(over);
  }
}
