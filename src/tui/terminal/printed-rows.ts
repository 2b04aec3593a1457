/** An entry that was handed over for printing, and its lines. */
export interface PrintedEntry {
  readonly key: number;
  readonly lines: number;
}

/**
 * A record of where printed entries begin, and of which rows the window still has. Rows are counted from the first one that
 * was printed. Where that stood in the window need not be known: what has left the window at its top follows from the lowest
 * row that was ever needed.
 */
export class PrintedRows {
  /** Rows that were handed over, and those of them that are written. */
  #handed = 0;
  #written = 0;
  /** The row below the lowest one that printed text and a frame took. */
  #lowest = 0;
  /** The window has changed since: nobody knows where the rows before this are now. */
  #known = 0;
  readonly #begins = new Map<number, number>();

  handed(rows: number): void {
    this.#handed += rows;
  }

  /** @param frame - rows of the frame below them */
  wrote(rows: number, frame: number): void {
    this.#written += rows;
    this.#lowest = Math.max(this.#lowest, this.#written + Math.max(1, frame));
  }

  /** Learns where entries begin: the last that were handed over. */
  began(entries: readonly PrintedEntry[], windowRows: number): void {
    let row = this.#handed;
    for (const { key, lines } of entries.toReversed()) {
      row -= lines;
      this.#begins.set(key, row);
    }
    const top = this.#top(windowRows);
    for (const [key, begin] of this.#begins) if (begin < top) this.#begins.delete(key);
  }

  /** The window has another size, or another program had it. */
  moved(): void {
    this.#known = this.#written;
    this.#lowest = this.#written;
  }

  /**
   * Forgets everything from an entry on; when its beginning has left the window, all that the window has.
   *
   * @returns the rows to erase above the frame, and whether they are the entry's and what followed it
   */
  takeBack(key: number, windowRows: number): { readonly rows: number; readonly whole: boolean } {
    const begin = this.#begins.get(key) ?? -1;
    const top = this.#top(windowRows);
    const whole = begin >= Math.max(this.#known, top);
    const from = whole ? begin : top;
    const rows = this.#written - from;
    this.#written = from;
    this.#handed = from;
    for (const [each, row] of this.#begins) if (row >= from) this.#begins.delete(each);
    return { rows, whole };
  }

  #top(windowRows: number): number {
    return Math.max(0, this.#lowest - windowRows);
  }
}
