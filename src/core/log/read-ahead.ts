import type { Snapshot } from "../ports/store.ts";

/** A place in a log: a cursor, and the number of foreign appends at which what was read there is good. */
interface Place {
  readonly after: number;
  readonly foreignAppends: number;
}

/** The page that a reader comes to next: the store reads it while the reader works on the one before. */
export class ReadAhead {
  #next: (Place & { readonly page: Promise<Snapshot> }) | undefined;

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
