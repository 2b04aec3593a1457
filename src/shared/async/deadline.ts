import { type Clock, sleep } from "./clock.ts";
import { HostError } from "../errors/host-error.ts";

/** The time that a piece of work may take, and a signal that ends the work sooner. */
export interface TimeLimit {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly ms: number;
  readonly signal?: AbortSignal;
}

/** A time limit that runs. Dispose of it when the work is over: its timer ends with it. */
export class Deadline implements Disposable {
  /** Aborts when the time is over, or when the caller's signal does. */
  readonly signal: AbortSignal;
  readonly #time = new AbortController();
  readonly #cancelTimer: () => void;

  constructor({ clock, ms, signal }: TimeLimit) {
    this.#cancelTimer = clock.after(ms, () => this.#time.abort());
    const own = this.#time.signal;
    this.signal = signal === undefined ? own : AbortSignal.any([signal, own]);
  }

  get passed(): boolean {
    return this.#time.signal.aborted;
  }

  [Symbol.dispose](): void {
    this.#cancelTimer();
  }
}

/**
 * Runs a piece of work that must answer in time. Work that does not listen to its signal is waited for no longer either.
 *
 * @throws HostError `timeout` when the time is over; the signal's reason when the caller's signal aborts
 */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  using deadline = new Deadline(limit);
  try {
    return await orAborted(work(deadline.signal), deadline.signal);
  } catch (thrown) {
    if (!deadline.passed) throw thrown;
    throw new HostError("timeout", `it did not answer within ${limit.ms / 1000} s`);
  }
}

/** Settles as the promise does, or rejects with the signal's reason when that aborts first. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Waits for a promise, or until the signal aborts. Rejects as the promise does. */
export async function settledOrAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Waits for a piece of work for as long as the limit allows, and keeps the process alive meanwhile. Rejects as the work
 * does; resolves when the time is over or the caller's signal aborts.
 *
 * @param work - gets a signal that aborts when nobody waits any longer
 */
export async function waitAtMost(
  { clock, ms, signal }: TimeLimit,
  work: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const until = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]);
  try {
    await Promise.race([work(until), sleep(clock, ms, until)]);
  } finally {
    over.abort();
  }
}

/**
 * Resolves when a signal aborts.
 *
 * @param over - when it aborts, nobody waits any longer, and the promise stays open
 */
export function untilAborted(signal: AbortSignal, over?: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const options = over === undefined ? { once: true } : { once: true, signal: over };
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), options);
  });
}
