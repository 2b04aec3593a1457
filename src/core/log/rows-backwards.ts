import type { Store } from "../ports/store.ts";
import type { StoredRow } from "../ports/stored-row.ts";

/** The rows that are looked through: those below a cursor, and how many are read at a time. */
interface BackwardReading {
  readonly before: number;
  readonly pageRows: number;
}

/** Yields rows of a session, the newest first, down to its beginning; they are read page by page. */
export async function* rowsBackwards(
  store: Pick<Store, "readBefore">,
  id: string,
  { before, pageRows }: BackwardReading,
): AsyncGenerator<StoredRow, void> {
  for (let from = before; from > 1;) {
    const rows = await store.readBefore(id, from, pageRows);
    yield* rows.toReversed();
    if (rows.length < pageRows) return;
    from = rows[0]?.seq ?? 0;
  }
}
