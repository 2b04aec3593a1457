import type { Clock } from "./clock.ts";
import { HostError } from "../errors/host-error.ts";

/** Resolves when a promise does, or the signal aborts. */
export async function untilOr(signal: AbortSignal, promise: Promise<unknown>): Promise<void> {
  if (signal.aborted) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([promise, aborted]).finally(() => signal.removeEventListener("abort", stop));
}

/**
 * Gives a piece of work so much time; also what does not listen to its signal is waited for no longer.
 *
 * @param limits - `ms` of `clock`; `signal` ends it sooner
 * @throws HostError `timeout`
 */
export async function within<T>(
  limits: { readonly clock: Clock; readonly ms: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new HostError("timeout", `it did not answer within ${limits.ms / 1000} s`);
  const time = new AbortController();
  const cancel = limits.clock.after(limits.ms, () => time.abort(late));
  const signal = AbortSignal.any([limits.signal, time.signal]);
  const working = work(signal);
  working.catch(() => undefined);
  try {
    await untilOr(signal, working);
    signal.throwIfAborted();
    return await working;
  } catch (thrown) {
    throw time.signal.aborted ? late : thrown;
  } finally {
    cancel();
  }
}
