import { setTimeout as startTimer, clearTimeout as stopTimer } from "node:timers";

/** The time as the host sees it. All code that waits takes a clock, so that tests can move the time by hand. */
export interface Clock {
  /** Unix milliseconds, for records. May jump. */
  now(): number;
  /** Milliseconds from an arbitrary start, for durations. Never goes back. */
  monotonic(): number;
  /**
   * Calls `run` once after `ms`; the returned function cancels it.
   *
   * @param holds - the process does not end before; by default a pending timer is no reason to stay
   */
  after(ms: number, run: () => void, holds?: boolean): () => void;
}

const LONGEST_TIMER = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, run, holds = false) {
    // A timer that is due already may have a negative delay, and Node would warn of that on stderr.
    const timer = startTimer(run, Math.min(Math.max(ms, 0), LONGEST_TIMER));
    if (!holds) timer.unref();
    return () => stopTimer(timer);
  },
};

/** Waits `ms`, or less when `signal` aborts; never rejects, ask the signal afterwards. */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const cancel = clock.after(ms, wake, true);
  signal.addEventListener("abort", wake, { once: true });
  return promise.finally(() => {
    cancel();
    signal.removeEventListener("abort", wake);
  });
}
