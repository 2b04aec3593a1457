import type { Clock } from "../../shared/async/clock.ts";

/**
 * Asks for something that a client may never give: the signal that `ask` gets aborts with the caller's own, or when
 * the time is over.
 *
 * @param ms - milliseconds
 */
export async function within<T>(
  { clock, ms, signal }: { readonly clock: Clock; readonly ms: number; readonly signal?: AbortSignal },
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const cancelTimer = clock.after(ms, () => late.abort());
  try {
    return await ask(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } finally {
    cancelTimer();
  }
}
