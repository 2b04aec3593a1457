import type { Snapshot, StoredRow } from "../../core/index.ts";

/**
 * Consecutive rows, oldest first: one by one, or packed as one text, which costs a fraction to make and to hand to another
 * thread. In it each row stands as its checksum covers it, on two lines: `n seq at type mid`, and its body.
 */
export type StoredRows = string | readonly StoredRow[];

/** A look at a log whose rows may be packed. */
export type PackedSnapshot = Omit<Snapshot, "rows"> & { readonly rows: StoredRows };

/** Unpacks the rows of a look at a log. */
export const unpackSnapshot = (page: PackedSnapshot | undefined): Snapshot | undefined =>
  page && { ...page, rows: unpackRows(page.rows) };

/** Unpacks rows: gives them one by one. */
export function unpackRows(rows: StoredRows): readonly StoredRow[] {
  if (typeof rows !== "string") return rows;
  const unpacked: StoredRow[] = [];
  for (let start = 0; start < rows.length;) {
    const n = rows.indexOf(" ", start);
    const seq = rows.indexOf(" ", n + 1);
    const at = rows.indexOf(" ", seq + 1);
    const type = rows.indexOf(" ", at + 1);
    const head = rows.indexOf("\n", type + 1);
    const end = endOfLine(rows, head + 1);
    unpacked.push({
      n: Number(rows.slice(start, n)),
      seq: Number(rows.slice(n + 1, seq)),
      at: Number(rows.slice(seq + 1, at)),
      type: rows.slice(at + 1, type),
      mid: rows.slice(type + 1, head) === "1",
      body: rows.slice(head + 1, end),
    });
    start = end + 1;
  }
  return unpacked;
}

/** Finds the end of the line in which a place of a text is. */
export function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}
