import { setTimeout as pause } from "node:timers/promises";
import { PassingFailure } from "./failure.ts";
import type { Presence } from "./presence.ts";

/** Milliseconds between two tries, at first and at most. */
const FIRST_PAUSE = 20;
const LONGEST_PAUSE = 500;

/**
 * Tries until the database takes it, this host's word has run out, or there was no answer for as long as its patience lasts. The pauses are those of a network, not of the host's
 * clock.
 *
 * @param attempt - told whether it was tried before, and may have been carried out
 */
export async function persist<T>(
  presence: Presence,
  attempt: (again: boolean) => Promise<T>,
): Promise<T | "lost"> {
  let wait = FIRST_PAUSE;
  let again = false;
  const until = performance.now() + presence.patienceMs;
  for (;;) {
    try {
      return await attempt(again);
    } catch (thrown) {
      if (!(thrown instanceof PassingFailure)) throw thrown;
      again ||= thrown.isUnknown;
      if (presence.isLost) return "lost";
      if (performance.now() > until) throw thrown;
    }
    await pause(wait);
    if (presence.isLost) return "lost";
    wait = Math.min(wait * 2, LONGEST_PAUSE);
  }
}
