import type { Piece } from "../ports/store.ts";
import type { StoredRow } from "../ports/stored-row.ts";
import { encodeRow } from "./row-codec.ts";
import type { SessionLog } from "./session-log.ts";

/** The end of a log that this process drives, for readers elsewhere. All of it is committed. */
export interface LogTail {
  /** The cursor after which it is whole. */
  readonly from: number;
  /** The cursor after all of it. */
  readonly to: number;
  /** The number of the newest row. */
  readonly n: number;
  readonly rows: readonly StoredRow[];
  /** The rows hold all text that streamed before them. */
  readonly endsReply: boolean;
  readonly pieces: readonly Piece[];
}

/**
 * What follows a cursor, from memory; `undefined` when this process does not drive the session. Where memory does not reach back
 * so far, it begins, empty, at the end.
 */
export function logTail(log: SessionLog, after: number): LogTail | undefined {
  if (!log.holdsLease || log.gone) return undefined;
  const to = log.cursor;
  const from = log.window.covers(after) && after <= to ? after : to;
  const { rows, pieces } = log.window.after(from);
  return {
    from,
    to,
    n: log.state.n,
    rows: rows.map((row) => encodeRow(row, false)),
    endsReply: rows.some(({ event }) => event.type === "reply.complete"),
    pieces,
  };
}
