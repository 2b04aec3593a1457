import type { CrashEntry, HistoryEntry } from "../history/history.ts";
import { grantsOf } from "./writers.ts";

/** Text is synced at most so long after it was saved, in milliseconds. */
const SYNCED_AFTER = 2_000;
/** A host saves its text again at most so long after a crash. */
const SAVED_AGAIN_WITHIN = 5_000;

/** A lease whose host did not live on after a crash: its text may be gone from one cursor to another. */
interface BrokenLease {
  /** No text that was saved before this, in the history's time, is gone. */
  readonly since: number;
  /** Its text stands behind the last row before the crash… */
  readonly after: number;
  /** …and before whatever its successor wrote. */
  readonly until: number;
}

/**
 * Tells which characters of a session a crash of the store may have taken with it: streamed text that was saved shortly before,
 * under a lease whose host did not live to save it again, and which was taken over. Rows are never gone.
 */
export function mayBeGone(
  entries: readonly HistoryEntry[],
  crashes: readonly CrashEntry[],
): (cursor: number) => boolean {
  const broken = brokenLeases(entries, crashes);
  if (broken.length === 0) return () => false;
  const savedAt = new Map<number, number>();
  const rows = new Set<number>();
  for (const entry of entries) {
    if (entry.type !== "append" && entry.type !== "read") continue;
    // Text that a reader got was saved by then: that is all that is known of what a host saved as it was killed.
    const [at, texts] = entry.type === "append" ? [entry.to, entry.pieces] : [entry.at, textsOf(entry)];
    if (entry.type === "read") for (const event of entry.events) if ("row" in event) rows.add(event.seq);
    for (const { cursor, text } of texts)
      for (let place = cursor + 1; place <= cursor + text.length; place += 1)
        savedAt.set(place, Math.min(savedAt.get(place) ?? at, at));
  }
  return (cursor) =>
    !rows.has(cursor) &&
    broken.some(
      ({ since, after, until }) =>
        cursor > after && cursor < until && (savedAt.get(cursor) ?? Number.NEGATIVE_INFINITY) >= since,
    );
}

const textsOf = ({ events }: Extract<HistoryEntry, { type: "read" }>) =>
  events.flatMap((event) =>
    "text" in event ? [{ cursor: event.seq - event.text.length, text: event.text }] : [],
  );

function brokenLeases(
  entries: readonly HistoryEntry[],
  crashes: readonly CrashEntry[],
): readonly BrokenLease[] {
  const grants = entries.flatMap(grantsOf);
  const appends = entries.filter((entry) => entry.type === "append");
  const rows = appends.flatMap(({ status, rows: made, to }) =>
    status === "ok" ? made.map(({ seq }) => ({ seq, to })) : [],
  );
  const takeovers = entries.filter((entry) => entry.type === "takeover");
  return crashes.flatMap((crash) =>
    takeovers.flatMap(({ fence, to }): readonly BrokenLease[] => {
      const last = Math.max(...grants.filter((grant) => grant.fence < fence).map((grant) => grant.fence));
      const own = grants.filter((grant) => grant.fence === last);
      // Whoever appends after the crash has saved its text again first.
      if (to < crash.from || own.some(({ from }) => from > crash.to)) return [];
      const next = appends
        .filter((entry) => (entry.granted ?? entry.fence) === fence)
        .flatMap((entry) => [
          ...entry.rows.map(({ seq }) => seq),
          ...entry.pieces.map(({ cursor }) => cursor + 1),
        ]);
      const synced = rows.filter((row) => row.to < crash.from).map(({ seq }) => seq);
      return [
        {
          since: savedLate(crash, crashes),
          after: Math.max(0, ...synced),
          until: Math.min(Infinity, ...next),
        },
      ];
    }),
  );
}

/** The time from which on text may not have been synced when the store crashed. What it lost just before was saved again. */
function savedLate(crash: CrashEntry, crashes: readonly CrashEntry[]): number {
  let since = crash.from - SYNCED_AFTER;
  for (const { from, to } of crashes.toSorted((a, b) => b.from - a.from))
    if (from < crash.from && to >= since - SAVED_AGAIN_WITHIN) since = from - SYNCED_AFTER;
  return since;
}
