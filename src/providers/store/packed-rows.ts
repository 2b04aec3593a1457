import type { Snapshot, StoredRow } from "../../core/index.ts";

/**
 * Consecutive rows, oldest first, as a text for each of their columns, which costs a fraction to make and to hand to another
 * thread: the bodies on a line each, all else with commas between.
 */
export interface PackedRows {
  /** The number of the first row. */
  readonly first: number;
  readonly cursors: string;
  readonly times: string;
  readonly types: string;
  /** 1 for a row that stands inside a reply, 0 for another one. */
  readonly mids: string;
  readonly bodies: string;
}

/** Consecutive rows, oldest first, one by one or packed. */
export type StoredRows = PackedRows | readonly StoredRow[];

/** A look at a log whose rows may be packed. */
export type PackedSnapshot = Omit<Snapshot, "rows"> & { readonly rows: StoredRows };

/** Unpacks the rows of a look at a log. */
export const unpackSnapshot = (page: PackedSnapshot | undefined): Snapshot | undefined =>
  page && { ...page, rows: unpackRows(page.rows) };

/** Unpacks rows: gives them one by one. */
export function unpackRows(rows: StoredRows): readonly StoredRow[] {
  if (!("bodies" in rows)) return rows;
  const { first, mids } = rows;
  const times = numbersOf(rows.times);
  const types = rows.types.split(",");
  const bodies = rows.bodies.split("\n");
  return numbersOf(rows.cursors).map((seq, index) => ({
    n: first + index,
    seq,
    at: times[index] ?? 0,
    type: types[index] ?? "",
    mid: mids[2 * index] === "1",
    body: bodies[index] ?? "",
  }));
}

/** Reads integers with commas between, as SQL joins them. */
export const numbersOf = (list: string): readonly number[] => JSON.parse(`[${list}]`) as readonly number[];
