import { expect, test } from "vitest";
import type { AppendEntry, CrashEntry, HistoryEntry } from "../history/history.ts";
import { mayBeGone } from "./unsynced.ts";

const of = (host: string) => ({ host, session: "s" });
const append = (host: string, from: number, more: Partial<AppendEntry>): AppendEntry => ({
  ...of(host),
  type: "append",
  status: "ok",
  from,
  to: from + 10,
  rows: [],
  pieces: [],
  ...more,
});
const row = (seq: number) => [{ n: 1, seq, type: "title.set", sum: 1 }];
const text = (cursor: number) => [{ cursor, kind: "text", text: "abc" }] as const;
const read = (at: number, event: { readonly seq: number; readonly row?: string }): HistoryEntry => ({
  ...of("c"),
  type: "read",
  reader: "r",
  after: 0,
  at,
  events: [
    event.row === undefined
      ? { seq: event.seq, kind: "text", text: "abc" }
      : { seq: event.seq, row: event.row, sum: 1 },
  ],
});
const takeover: HistoryEntry = { ...of("b"), type: "takeover", fence: 2, from: 60_000, to: 60_010 };
const crash: CrashEntry = { type: "crash", from: 50_000, to: 50_100 };

/** A host says something, the store crashes, and another host takes the session over and goes on behind what was reserved. */
const HISTORY: readonly HistoryEntry[] = [
  append("a", 40_000, { granted: 1, rows: row(10) }),
  append("a", 49_500, { fence: 1, pieces: text(10) }),
  read(49_900, { seq: 16 }),
  takeover,
  append("b", 60_100, { fence: 2, rows: row(1_001) }),
];

const isGone = (cursor: number, entries: readonly HistoryEntry[] = HISTORY, crashes = [crash]): boolean =>
  mayBeGone(entries, crashes)(cursor);

test("text that was saved just before a crash, by a host that did not live on, may be gone", () => {
  expect(isGone(11)).toBe(true);
  // Of what a host saved as it was killed nobody knows but who read it.
  expect(isGone(16)).toBe(true);
});

test("text that was saved again and lost by the next crash at once may be gone", () => {
  const first: CrashEntry = { type: "crash", from: 45_000, to: 45_100 };
  const saved = append("a", 44_500, { fence: 1, pieces: text(10) });
  const entries = [saved, append("a", 46_000, { fence: 1, pieces: text(13) }), takeover];
  expect(isGone(11, entries, [crash, first])).toBe(true);
  expect(isGone(11, entries)).toBe(false);
});

const without = (type: HistoryEntry["type"]) => HISTORY.filter((entry) => entry.type !== type);

const PLANTED: Readonly<Record<string, () => boolean>> = {
  "text without a crash": () => isGone(11, HISTORY, []),
  "text that was saved long before the crash": () =>
    isGone(11, [append("a", 47_000, { fence: 1, granted: 1, pieces: text(10) }), ...HISTORY]),
  "text that a reader had long before the crash": () => isGone(16, [read(47_000, { seq: 16 }), ...HISTORY]),
  "text that nobody saved or read": () => isGone(30),
  "text of a host that lived on": () => isGone(11, [...HISTORY, append("a", 50_500, { fence: 1 })]),
  "text of a session that nobody took over": () => isGone(11, without("takeover")),
  "text of a session that was taken over before": () =>
    isGone(11, HISTORY, [{ type: "crash", from: 70_000, to: 70_100 }]),
  "text before a row that was acknowledged": () =>
    isGone(11, [append("a", 49_600, { fence: 1, rows: row(20) }), ...HISTORY]),
  "text of who took over": () =>
    isGone(1_003, [append("b", 60_200, { fence: 2, pieces: text(1_001) }), ...HISTORY]),
  "a row that a reader had": () => isGone(17, [...HISTORY, read(49_950, { seq: 17, row: "title.set" })]),
};

test.each(Object.entries(PLANTED))("%s may not", (_name, excused) => {
  expect(excused()).toBe(false);
});
