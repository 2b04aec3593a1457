import { crc32 } from "../../../shared/text/crc32.ts";
import { endOfLine } from "../packed-rows.ts";
import { integer, nullableInteger, type ResultRow, text } from "./columns.ts";
import type { Database } from "./database.ts";
import { isDamage } from "./failure.ts";

/** Rows of a log, found whole and sound, as one text. */
export interface PackedPage {
  readonly rows: string;
  /** The numbers of the first row and of the last one. */
  readonly first: number;
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
 * Reads many rows at once: SQLite makes one text of them, which is checked row by row. So no row becomes an object here.
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

/** The text of each row is what its checksum covers, see `rowChecksum`. */
const PACK = `
  SELECT group_concat(row, char(10)) AS rows, group_concat(crc) AS sums, min(sound) AS sound
  FROM (
    SELECT n || ' ' || seq || ' ' || at || ' ' || type || ' ' || mid || char(10) || body AS row, crc,
      json_valid(body) AS sound
    FROM rows WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq)
`;

function checkedPage(packed: ResultRow, count: number): PackedPage | undefined {
  if (nullableInteger(packed, "sound") !== 1) return undefined;
  const rows = text(packed, "rows");
  // A list of the integers of a column.
  const sums = JSON.parse(`[${text(packed, "sums")}]`) as readonly number[];
  if (sums.length !== count) return undefined;
  const first = Number(rows.slice(0, rows.indexOf(" ")));
  let start = 0;
  let headEnd = 0;
  for (const [index, sum] of sums.entries()) {
    headEnd = rows.indexOf("\n", start);
    const end = endOfLine(rows, headEnd + 1);
    if (!rows.startsWith(`${first + index} `, start)) return undefined;
    if (crc32(rows.slice(start, end)) !== sum) return undefined;
    start = end + 1;
  }
  // A row with a line break in it, which no row has, would have been taken for two.
  if (start !== rows.length + 1) return undefined;
  return { rows, first, last: first + count - 1, mid: rows[headEnd - 1] === "1" };
}
