import type { Clock } from "../../src/shared/async/clock.ts";

/** A timer that has not fired yet: `at` on the monotonic scale, `in` milliseconds from now. */
interface PendingTimer {
  readonly at: number;
  readonly in: number;
}

/** A clock whose hands only move when the test moves them. */
export interface HandClock extends Clock {
  /**
   * Moves the hands forward, stopping at each timer that falls due, in order, also those that were set on the way.
   * Timers run synchronously; what they resolve goes on when the test next awaits.
   */
  advance(ms: number): void;
  /** Moves to the next timer and fires it; `false` when none is set. */
  next(): boolean;
  /** Puts the wall clock elsewhere, as a person or an NTP daemon would; durations and timers do not notice. */
  set(now: number): void;
  /** The timers that are set, the next one first. */
  pending(): readonly PendingTimer[];
  /** Resolves as soon as at least `count` timers are set, at once when they are. */
  untilPending(count?: number): Promise<void>;
}

/** 2026-01-01T00:00:00Z */
const START = Date.UTC(2026, 0, 1);

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Makes a clock for tests.
 *
 * @param start - what the wall clock shows first, Unix milliseconds
 */
export function handClock(start = START): HandClock {
  let elapsed = 0;
  let offset = start;
  let order = 0;
  const timers = new Set<Timer>();
  const watchers = new Set<() => void>();

  const sorted = (): readonly Timer[] => [...timers].sort((a, b) => a.at - b.at || a.order - b.order);

  const fire = (timer: Timer): void => {
    timers.delete(timer);
    elapsed = Math.max(elapsed, timer.at);
    timer.run();
  };

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    after(ms, run) {
      const timer = { at: elapsed + Math.max(0, ms), order: order++, run };
      timers.add(timer);
      for (const look of watchers) look();
      return () => void timers.delete(timer);
    },
    advance(ms) {
      const target = elapsed + ms;
      for (;;) {
        const [first] = sorted();
        if (first === undefined || first.at > target) break;
        fire(first);
      }
      elapsed = target;
    },
    next() {
      const [first] = sorted();
      if (first === undefined) return false;
      fire(first);
      return true;
    },
    set(now) {
      offset = now - elapsed;
    },
    pending: () => sorted().map(({ at }) => ({ at, in: at - elapsed })),
    untilPending(count = 1) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (timers.size < count) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
      return promise;
    },
  };
}
