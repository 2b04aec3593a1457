import type { CrashEntry, HistoryEntry, SeenEvent } from "../history/history.ts";
import { eventSum } from "../history/recorder.ts";
import type { Fault } from "./fault.ts";
import type { LogRow } from "./log-row.ts";
import { mayBeGone } from "./unsynced.ts";

/** Whatever stands at each cursor: a character of text, or a row. */
type Meanings = Map<number, string>;

/** A cursor means one thing, for all readers and at all times, and a reader is shown all that stands between two of its cursors. */
export function* cursorFaults(
  session: string,
  entries: readonly HistoryEntry[],
  { rows, crashes }: { readonly rows: readonly LogRow[]; readonly crashes: readonly CrashEntry[] },
): Generator<Fault> {
  const log = meaningsOf(rows);
  const shown: Meanings = new Map();
  const readers = new Map<string, Reader>();
  const fault = (text: string): Fault => ({ kind: "two meanings", session, text });
  for (const entry of entries) {
    if (entry.type === "append" && entry.status === "ok")
      for (const { cursor, kind, text } of entry.pieces) {
        const wrong = note({ seq: cursor + text.length, kind, text }, { log, shown });
        if (wrong !== undefined) yield fault(`${wrong} as ${entry.host} saved it`);
      }
    if (entry.type !== "read") continue;
    const reader = readers.get(entry.reader) ?? {
      at: entry.after,
      began: entry.after,
      seen: new Set<number>(),
    };
    readers.set(entry.reader, reader);
    for (const event of entry.events) {
      const begin = event.seq - lengthOf(event);
      if (begin < reader.at)
        yield fault(`${entry.reader} had cursor ${reader.at} and was shown ${words(event)} from ${begin} on`);
      reader.at = Math.max(reader.at, event.seq);
      for (let at = begin + 1; at <= event.seq; at += 1) reader.seen.add(at);
      const wrong = note(event, { log, shown });
      if (wrong !== undefined) yield fault(`${wrong} for ${entry.reader}`);
    }
  }
  yield* notShown({ session, log, readers });
  const isExcused = mayBeGone(entries, crashes);
  const gone = [...shown].filter(([cursor]) => !log.has(cursor) && !isExcused(cursor));
  if (gone.length > 0) {
    const [[cursor, meaning] = [0, ""]] = gone;
    const text = `${gone.length} cursors that were shown are in no row, the first ${cursor}: ${meaning}`;
    yield { kind: "lost", session, text };
  }
}

interface Known {
  readonly session: string;
  readonly log: Meanings;
  readonly readers: ReadonlyMap<string, Reader>;
}

function* notShown({ session, log, readers }: Known): Generator<Fault> {
  const ends = [...log.keys()].toSorted((a, b) => a - b);
  for (const [name, { began, at, seen }] of readers) {
    const missed = ends.filter((cursor) => cursor > began && cursor <= at && !seen.has(cursor));
    if (missed.length === 0) continue;
    const what = `${name}, from ${began} to ${at}, missed ${missed.length} cursors, the first ${missed[0]}`;
    yield { kind: "not shown", session, text: `${what}: ${log.get(missed[0] ?? 0)}` };
  }
}

interface Reader {
  /** The cursor before what it read first. */
  readonly began: number;
  readonly seen: Set<number>;
  at: number;
}

const lengthOf = (event: SeenEvent): number => ("text" in event ? event.text.length : 1);

const words = (event: SeenEvent): string => ("text" in event ? JSON.stringify(event.text) : event.row);

/** Notes what an event says of its cursors; gives the first thing in which it differs from what was said before. */
function note(
  event: SeenEvent,
  { log, shown }: { readonly log: Meanings; readonly shown: Meanings },
): string | undefined {
  let wrong: string | undefined;
  for (const [cursor, meaning] of meaningsOfEvent(event)) {
    const known = log.get(cursor) ?? shown.get(cursor);
    shown.set(cursor, meaning);
    if (known !== undefined && known !== meaning)
      wrong ??= `cursor ${cursor} is ${known}, and was ${meaning}`;
  }
  return wrong;
}

function* meaningsOfEvent(event: SeenEvent): Generator<readonly [number, string]> {
  if ("row" in event) {
    yield [event.seq, rowMeaning(event.row, event.sum, event.answer)];
    return;
  }
  const first = event.seq - event.text.length + 1;
  for (let index = 0; index < event.text.length; index += 1)
    yield [first + index, `${event.kind} ${JSON.stringify(event.text[index])}`];
}

function meaningsOf(rows: readonly LogRow[]): Meanings {
  const meanings: Meanings = new Map();
  for (const { seq, event } of rows) {
    if (event.type === "reply.complete")
      for (const { cursor, kind, text } of event.segments)
        for (const [at, meaning] of meaningsOfEvent({ seq: cursor + text.length, kind, text }))
          meanings.set(at, meaning);
    const answer = event.type === "message.complete" ? answerIn(rows, event.from, seq) : undefined;
    meanings.set(seq, rowMeaning(event.type, eventSum(event), answer));
  }
  return meanings;
}

const rowMeaning = (type: string, sum: number, answer?: string): string =>
  `${type} ${sum.toString(16)}${answer === undefined ? "" : ` ${JSON.stringify(answer)}`}`;

/** The text of the replies in `(from, to]`. */
export function answerIn(rows: readonly LogRow[], from: number, to: number): string {
  return rows
    .flatMap(({ seq, event }) =>
      seq > from && seq <= to && event.type === "reply.complete" ? event.segments : [],
    )
    .flatMap(({ kind, text }) => (kind === "text" ? [text] : []))
    .join("");
}
