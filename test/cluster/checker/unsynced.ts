import type { CrashEntry, HistoryEntry } from "../history/history.ts";

/** Text is synced at most so long after it was saved, in milliseconds. */
const SYNCED_AFTER = 2_000;

/**
 * Tells which cursors of a session a crash of the store may have taken with it: streamed text that was saved shortly before,
 * of a host that did not live to save it again.
 */
export function mayBeGone(
  entries: readonly HistoryEntry[],
  crashes: readonly CrashEntry[],
): (cursor: number) => boolean {
  const takeovers = entries.filter((entry) => entry.type === "takeover");
  const fatal = crashes.filter((crash) => takeovers.some(({ from }) => from > crash.from));
  if (fatal.length === 0) return () => false;
  const known = new Set<number>();
  const unsynced = new Set<number>();
  for (const entry of entries) {
    if (entry.type !== "append") continue;
    const isLate = fatal.some(({ from, to }) => from - SYNCED_AFTER <= entry.to && entry.from <= to);
    for (const { cursor, text } of entry.pieces)
      for (let at = cursor + 1; at <= cursor + text.length; at += 1) (isLate ? unsynced : known).add(at);
  }
  // What no host told of it saved as it was killed.
  return (cursor) => unsynced.has(cursor) || !known.has(cursor);
}
