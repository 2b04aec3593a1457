import type { DurableEvent, EventNamed, Row, SessionEvent } from "../events/events.ts";
import type { Segment } from "../events/reply.ts";
import type { Piece } from "../ports/store.ts";

/**
 * The events after a cursor: deltas cut at it, then rows, in the order of their cursors. Text that one row or run of
 * pieces holds comes as one delta, however it streamed.
 *
 * @param rows - consecutive rows; those at or before `after` are left out
 * @param pieces - streamed text that no row holds yet; it is dated `now`
 * @param answers - the texts of turns that began before the rows, by the cursor of their `message.complete`
 */
export function expand(
  { rows, pieces, after, now }: Slice,
  answers: ReadonlyMap<number, string>,
): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index];
    if (row === undefined || row.seq <= after) continue;
    const { seq, at, event } = row;
    if (event.type === "reply.complete") {
      for (const segment of event.segments) pushDelta(events, segment, { after, at });
    }
    if (event.type === "message.complete") {
      const text = answers.get(seq) ?? answerText(rowsAfter(rows, event.from, index), event.from, seq);
      events.push({ ...event, seq, at, text });
    } else events.push({ ...event, seq, at });
  }
  for (const run of joinPieces(pieces)) pushDelta(events, run, { after, at: now });
  return inOrder(events) ? events : events.sort((a, b) => a.seq - b.seq);
}

/** A part of a log: its consecutive rows, and the text that no row holds yet. */
export interface Slice {
  readonly rows: readonly Row[];
  readonly pieces: readonly Piece[];
  readonly after: number;
  readonly now: number;
}

function pushDelta(
  events: SessionEvent[],
  { cursor, kind, text }: Segment,
  { after, at }: { readonly after: number; readonly at: number },
): void {
  const end = cursor + text.length;
  if (end <= after) return;
  const rest = after > cursor ? text.slice(after - cursor) : text;
  const type = kind === "text" ? "message.delta" : "reasoning.delta";
  events.push({ type, text: rest, seq: end, at });
}

function inOrder(events: readonly SessionEvent[]): boolean {
  let last = 0;
  for (const { seq } of events) {
    if (seq < last) return false;
    last = seq;
  }
  return true;
}

/** Joins pieces that follow each other; a row in between, or another kind, starts a new segment. */
export function joinPieces(pieces: readonly Piece[]): readonly Segment[] {
  const runs: { cursor: number; kind: Piece["kind"]; texts: string[]; end: number }[] = [];
  for (const { cursor, kind, text } of pieces) {
    const last = runs.at(-1);
    if (last !== undefined && last.end === cursor && last.kind === kind) {
      last.texts.push(text);
      last.end += text.length;
    } else runs.push({ cursor, kind, texts: [text], end: cursor + text.length });
  }
  return runs.map(({ cursor, kind, texts }) => ({ cursor, kind, text: texts.join("") }));
}

/** The rows after a position up to the one of an index: a turn, without looking at the others of a page. */
function rowsAfter(rows: readonly Row[], position: number, index: number): readonly Row[] {
  let first = index;
  while ((rows[first - 1]?.seq ?? 0) > position) first -= 1;
  return rows.slice(first, index + 1);
}

/** Whether an event has the answer of a turn that began before a cursor. */
export const endsTurnBefore = (
  event: DurableEvent,
  cursor: number,
): event is EventNamed<"message.complete"> => event.type === "message.complete" && event.from < cursor;

/** All text that the replies in `(from, to]` said, joined: what the deltas of those rows were. */
export function answerText(rows: readonly Row[], from: number, to: number): string {
  const texts: string[] = [];
  for (const { seq, event } of rows) {
    if (seq <= from || seq > to || event.type !== "reply.complete") continue;
    for (const { kind, text } of event.segments) if (kind === "text") texts.push(text);
  }
  return texts.join("");
}
