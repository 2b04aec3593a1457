import { RunningCrc32 } from "../../../shared/text/crc32.ts";
import { numbersOf, type PackedRows } from "../packed-rows.ts";
import { integer, nullableInteger, type ResultRow, text } from "./columns.ts";
import type { Database } from "./database.ts";
import { isDamage } from "./failure.ts";

/** Rows of a log, found whole and sound. */
export interface PackedPage {
  readonly rows: PackedRows;
  /** The number of the last row. */
  readonly last: number;
  /** The last row stands inside a reply that still streamed. */
  readonly mid: boolean;
}

/** Fewer rows are read one by one: to look first how large they are would cost more. */
const FEW = 16;
/** Bytes of an average row from which on they are read one by one: to copy them once more would cost more than objects. */
const LARGE_ROW = 16 * 1024;
/** Rows that are looked at first. */
const PROBED = 4;

/** The wanted rows: `count` of them, which are known to be there, after a cursor or before one. */
export interface PackedRange {
  readonly key: number;
  readonly from: { readonly after: number } | { readonly before: number };
  readonly count: number;
  /** Bytes that they may have. */
  readonly most: number;
}

/**
 * Reads many rows at once: SQLite makes a text of each column, and they are checked row by row. So no row becomes an object here.
 *
 * @returns `undefined` when they are few, large, or not all of them sound: rows that are read one by one show which
 */
export function readPackedPage(database: Database, range: PackedRange): PackedPage | undefined {
  if (range.count < FEW) return undefined;
  try {
    // Of rows as large as a book a look at all of them takes long.
    if (isLarge(boundsOf(database, range, PROBED), PROBED)) return undefined;
    const bounds = boundsOf(database, range, range.count);
    if (bounds.count !== range.count || bounds.size > range.most || isLarge(bounds, range.count))
      return undefined;
    const packed = database.one(PACK, range.key, bounds.low, bounds.high);
    return packed && checkedPage(packed, range.count);
  } catch (thrown) {
    if (isDamage(thrown)) return undefined;
    throw thrown;
  }
}

/** The place and the size of rows. */
interface Bounds {
  readonly count: number;
  readonly size: number;
  readonly low: number;
  readonly high: number;
}

function boundsOf(database: Database, { key, from }: PackedRange, count: number): Bounds {
  const isAfter = "after" in from;
  const found = database.one(isAfter ? AFTER : BEFORE, key, isAfter ? from.after : from.before, count) ?? {};
  return {
    count: integer(found, "count"),
    size: integer(found, "size"),
    low: integer(found, "low"),
    high: integer(found, "high"),
  };
}

const isLarge = ({ size }: Bounds, count: number): boolean => size > count * LARGE_ROW;

const boundsQuery = (condition: string, order: "ASC" | "DESC"): string =>
  `SELECT count(*) AS count, min(seq) AS low, max(seq) AS high, sum(size) AS size
   FROM (SELECT seq, octet_length(body) AS size FROM rows WHERE session = ? AND ${condition} ORDER BY seq ${order} LIMIT ?)`;
const AFTER = boundsQuery("seq > ?", "ASC");
const BEFORE = boundsQuery("seq < ?", "DESC");

/** A head and a body, with a line break between, are what the checksum of a row covers, see `rowChecksum`. */
const PACK = `
  SELECT group_concat(concat_ws(' ', n, seq, at, type, mid), char(10)) AS heads, group_concat(body, char(10)) AS bodies,
    group_concat(n) AS numbers, group_concat(seq) AS cursors, group_concat(at) AS times, group_concat(type) AS types,
    group_concat(mid) AS mids, group_concat(crc) AS sums, min(json_valid(body)) AS sound
  FROM (SELECT n, seq, at, type, mid, body, crc FROM rows WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq)
`;

function checkedPage(packed: ResultRow, count: number): PackedPage | undefined {
  if (nullableInteger(packed, "sound") !== 1) return undefined;
  const heads = text(packed, "heads");
  const bodies = text(packed, "bodies");
  const numbers = numbersOf(text(packed, "numbers"));
  const sums = numbersOf(text(packed, "sums"));
  if (sums.length !== count) return undefined;
  const [first = 0] = numbers;
  let head = 0;
  let body = 0;
  for (const [index, sum] of sums.entries()) {
    const headEnd = endOfLine(heads, head);
    const bodyEnd = endOfLine(bodies, body);
    if (numbers[index] !== first + index) return undefined;
    if (new RunningCrc32().add(heads, head, headEnd).add("\n").add(bodies, body, bodyEnd).value !== sum)
      return undefined;
    head = headEnd + 1;
    body = bodyEnd + 1;
  }
  // A row with a line break in it, which no row has, would have been taken for two.
  if (head !== heads.length + 1 || body !== bodies.length + 1) return undefined;
  const mids = text(packed, "mids");
  const [cursors, times, types] = [text(packed, "cursors"), text(packed, "times"), text(packed, "types")];
  return {
    rows: { first, cursors, times, types, mids, bodies },
    last: first + count - 1,
    mid: mids.endsWith("1"),
  };
}

function endOfLine(lines: string, from: number): number {
  const end = lines.indexOf("\n", from);
  return end === -1 ? lines.length : end;
}
