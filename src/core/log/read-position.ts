import type { ReadAhead } from "./read-ahead.ts";

/** A reader's position in a log. */
export interface ReadPosition {
  /** The cursor of the last event it got. */
  after: number;
  /** The number of foreign appends that it has seen; see `SessionLog.noteForeignAppend`. */
  foreignAppends: number;
  /** The rows that it reads are kept for a moment, see `RecentRows`. */
  readonly keepsRows?: boolean;
  readonly ahead?: ReadAhead;
}
