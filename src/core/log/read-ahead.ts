import type { Snapshot } from "../ports/store.ts";

/** A place in a log: a cursor, and the number of foreign appends at which what was read there is good. */
interface Place {
  readonly after: number;
  readonly foreignAppends: number;
}

/** Rows of the first page of somebody who shows them: there is something to show soon. */
const FIRST_ROWS = 125;
/** Rows of a page at most; each page costs a trip to the store. */
const MOST_ROWS = 1000;

/** The page that a reader comes to next: the store reads it while the reader works on the one before. */
export class ReadAhead {
  #rows: number;
  #next: (Place & { readonly page: Promise<Snapshot> }) | undefined;

  /** @param rows - of the first page */
  constructor(rows = FIRST_ROWS) {
    this.#rows = rows;
  }

  /** Gives the rows of the page that is asked for next: twice as many as the time before. */
  nextLength(): number {
    const rows = this.#rows;
    this.#rows = Math.min(2 * rows, MOST_ROWS);
    return rows;
  }

  begin(place: Place, page: Promise<Snapshot>): void {
    // A reader that leaves does not hear of the failure; one that stays awaits the page.
    page.catch(() => undefined);
    this.#next = { ...place, page };
  }

  /** Gives the page at a place; `undefined`: it was not read, or something may have come since. */
  take({ after, foreignAppends }: Place): Promise<Snapshot> | undefined {
    const next = this.#next;
    this.#next = undefined;
    return next?.after === after && next.foreignAppends === foreignAppends ? next.page : undefined;
  }
}
