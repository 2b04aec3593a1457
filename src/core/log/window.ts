import type { Row } from "../events/events.ts";
import type { Piece } from "../ports/store.ts";

/** Characters of its own past that a session keeps for readers that are nearly up to date; older rows come from the store. */
const WINDOW_SIZE = 256 * 1024;

/** A row that is committed, with the size of its stored form. */
export interface CommittedRow {
  readonly row: Row;
  readonly size: number;
}

/** The newest committed rows of a log and the shown text of the reply that streams. */
export class LogWindow {
  /** The cursor up to which readers may see. */
  shown: number;
  /** A count that grows with every change: what was read at one count reads the same until the next. */
  changes = 0;
  #rows: CommittedRow[] = [];
  #pieces: Piece[] = [];
  #size = 0;
  /** Everything after this cursor is here. */
  #from: number;

  constructor(head: number) {
    this.#from = head;
    this.shown = head;
  }

  covers(after: number): boolean {
    return after >= this.#from;
  }

  /** Rows and text after a cursor that the window covers. */
  after(cursor: number): { readonly rows: readonly Row[]; readonly pieces: readonly Piece[] } {
    const first = lastIndexBefore(this.#rows, ({ row }) => row.seq <= cursor) + 1;
    const piece = lastIndexBefore(this.#pieces, (each) => each.cursor + each.text.length <= cursor) + 1;
    return { rows: this.#rows.slice(first).map(({ row }) => row), pieces: this.#pieces.slice(piece) };
  }

  /** Adds committed rows. `endsReply`: one of them holds the text that streamed. */
  addRows(rows: readonly CommittedRow[], endsReply: boolean): void {
    this.changes += 1;
    if (endsReply) this.#pieces = [];
    for (const entry of rows) {
      this.#rows.push(entry);
      this.#size += entry.size;
      this.shown = Math.max(this.shown, entry.row.seq);
    }
    this.#trim();
  }

  addPieces(pieces: readonly Piece[]): void {
    this.changes += 1;
    for (const piece of pieces) {
      this.#pieces.push(piece);
      this.shown = Math.max(this.shown, piece.cursor + piece.text.length);
    }
  }

  /** Frees the memory: nobody is likely to ask for it soon. */
  clear(): void {
    this.changes += 1;
    this.#from = this.shown;
    this.#rows = [];
    this.#size = 0;
  }

  /** Another process owns the session: the text that streamed here is not to be shown any more. */
  dropPieces(): void {
    this.changes += 1;
    this.#pieces = [];
  }

  #trim(): void {
    let drop = 0;
    while (this.#size > WINDOW_SIZE && drop < this.#rows.length - 1) {
      const oldest = this.#rows[drop];
      if (oldest === undefined) break;
      this.#size -= oldest.size;
      this.#from = oldest.row.seq;
      drop += 1;
    }
    if (drop > 0) this.#rows = this.#rows.slice(drop);
  }
}

/** The last index whose element holds, when all that hold come first; -1 when none does. Looks from the end. */
function lastIndexBefore<T>(list: readonly T[], holds: (element: T) => boolean): number {
  const newest = list.at(-1);
  if (newest === undefined || holds(newest)) return list.length - 1;
  let low = -1;
  let high = list.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const element = list[middle];
    if (element !== undefined && holds(element)) low = middle;
    else high = middle;
  }
  return low;
}
