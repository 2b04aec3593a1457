import { crc32 } from "../../../shared/text/crc32.ts";
import type { Head, StoredRow } from "../../../core/index.ts";
import type { StoreInput } from "../operations.ts";
import type { PackedRows, PackedSnapshot, StoredRows } from "../packed-rows.ts";
import { readRowText, rowChecksum } from "./checksum.ts";
import { integer, type ResultRow, nullableInteger, InvalidValueError, text } from "./columns.ts";
import { isDamage } from "./failure.ts";
import type { Database } from "./database.ts";
import { readPackedPage } from "./packed-page.ts";
import { piecesAfter } from "./pieces.ts";
import { findSession, type SessionHead } from "./sessions.ts";
import type { OperationContext } from "./operation-context.ts";

/** Characters of rows in one page, however few rows that is. */
const PAGE_SIZE = 4 * 1024 * 1024;

/** What `checkedRow` reads: the text of a row as its checksum covers it, which costs half of what its columns do one by one. */
export const ROW =
  "n || ' ' || seq || ' ' || at || ' ' || type || ' ' || mid || char(10) || body AS row, crc, json_valid(body) AS sound";

/** A page of rows, up to the first that cannot be read. */
export interface LogPage {
  readonly rows: readonly StoredRow[];
  readonly more: boolean;
  readonly damagedAt?: number;
}

export function readLog(context: OperationContext, request: StoreInput<"read">): PackedSnapshot | undefined {
  const session = findSession(context.database, request.session);
  if (session === undefined) return undefined;
  const place = { ...request, before: rowNumberAt(context.database, session.key, request.after) };
  const page: Omit<PackedSnapshot, "pieces" | "head"> =
    packedAfter(context, session, place) ?? readLogPage(context, session, place);
  const whole = !page.more && page.damagedAt === undefined;
  const pieces = whole ? piecesAfter(context, session, request.after) : [];
  return { ...page, pieces, head: session.head };
}

/** Reads a page of a sound log as columns; `undefined` when its rows have to be read one by one. */
function packedAfter(
  { database }: OperationContext,
  { key, head, damagedAt }: SessionHead,
  { after, limit, before }: StoreInput<"read"> & { readonly before: RowNumber },
): Pick<PackedSnapshot, "rows" | "more"> | undefined {
  if (damagedAt !== undefined || before.damagedAt !== undefined) return undefined;
  const count = Math.min(limit, head.n - before.n);
  const page = readPackedPage(database, { key, from: { after }, count, most: PAGE_SIZE });
  // A page does not end inside a reply: its text comes with a later row.
  if (page === undefined || page.rows.first !== before.n + 1 || page.mid) return undefined;
  return { rows: page.rows, more: page.last < head.n };
}

/**
 * Reads and checks the rows after a cursor. Damage that it meets is noted on the context.
 *
 * @param request.before - the row at the cursor, when that was looked at already
 */
export function readLogPage(
  context: OperationContext,
  session: SessionHead,
  request: { readonly after: number; readonly limit: number; readonly before?: RowNumber },
): LogPage {
  const { database } = context;
  const { after, limit, before = rowNumberAt(database, session.key, after) } = request;
  const rows: StoredRow[] = [];
  let { n } = before;
  let more = false;
  let size = 0;
  const damagedAt = firstOf(before.damagedAt, session.damagedAt);
  if (damagedAt !== undefined && damagedAt <= n) return damaged(context, session, { rows, n: damagedAt });
  try {
    const found = database.each(
      `SELECT ${ROW} FROM rows WHERE session = ? AND seq > ? ORDER BY seq`,
      session.key,
      after,
    );
    for (const raw of found) {
      const full = rows.length >= limit || size >= PAGE_SIZE;
      // A page does not end inside a reply: its text comes with a later row.
      if (full && rows.at(-1)?.mid !== true) {
        more = true;
        break;
      }
      if (n + 1 === damagedAt) return damaged(context, session, { rows, n: damagedAt });
      const row = checkedRow(raw, n + 1);
      rows.push(row);
      n = row.n;
      size += row.body.length;
    }
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return damaged(context, session, { rows, n: n + 1 });
  }
  if (!more && n !== session.head.n) return damaged(context, session, { rows, n: n + 1 });
  return { rows, more };
}

function damaged(
  context: OperationContext,
  session: SessionHead,
  { rows, n }: { readonly rows: readonly StoredRow[]; readonly n: number },
): LogPage {
  if (session.damagedAt === undefined || n < session.damagedAt) context.damage.set(session.key, n);
  return { rows, more: false, damagedAt: n };
}

const firstOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** The number of a row; with damage, when it cannot be read. */
interface RowNumber {
  readonly n: number;
  readonly damagedAt?: number;
}

/** The number of the row at or before a cursor; 0 before the first. */
function rowNumberAt(database: Database, key: number, cursor: number): RowNumber {
  try {
    const raw = database.one(
      `SELECT ${ROW} FROM rows WHERE session = ? AND seq <= ? ORDER BY seq DESC LIMIT 1`,
      key,
      cursor,
    );
    return { n: raw === undefined ? 0 : checkedRow(raw).n };
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    // Rows count from one: the row's place in the log is its number, even when its content cannot be read.
    const sql = "SELECT count(*) AS n FROM rows WHERE session = ? AND seq <= ?";
    const n = database.integer("n", sql, key, cursor);
    return { n, damagedAt: n };
  }
}

/** @throws InvalidValueError when the row is not the one that was stored, or its number is not `n` */
export function checkedRow(raw: ResultRow, n?: number): StoredRow {
  const written = text(raw, "row");
  if (raw["sound"] !== 1 || crc32(written) !== raw["crc"]) throw new InvalidValueError("a row is damaged");
  const row = readRowText(written);
  if (n !== undefined && row.n !== n) throw new InvalidValueError(`row ${n} is missing`);
  return row;
}

export function readLogBefore(context: OperationContext, request: StoreInput<"readBefore">): StoredRows {
  const { database } = context;
  const session = findSession(database, request.session);
  if (session === undefined) return [];
  return packedBefore(database, session, request) ?? rowsBefore(database, session, request);
}

const LOWEST = "SELECT n FROM rows WHERE session = ? ORDER BY seq LIMIT 1";

/** Reads a page of a sound log as columns; `undefined` when its rows have to be read one by one. */
function packedBefore(
  database: Database,
  { key, damagedAt }: SessionHead,
  { before, limit }: StoreInput<"readBefore">,
): PackedRows | undefined {
  if (damagedAt !== undefined) return undefined;
  try {
    const sql = "SELECT n FROM rows WHERE session = ? AND seq < ? ORDER BY seq DESC LIMIT 1";
    const top = database.one(sql, key, before);
    // It may be damaged: it is checked with its page.
    const count = Math.min(limit, top === undefined ? 0 : integer(top, "n"));
    const page = readPackedPage(database, { key, from: { before }, count, most: PAGE_SIZE });
    // Whatever says that it stands before the first row is damage, and hides what comes after it.
    if (page?.rows.first === 1 && database.integer("n", LOWEST, key) !== 1) return undefined;
    return page?.rows;
  } catch (thrown) {
    if (isDamage(thrown)) return undefined;
    throw thrown;
  }
}

function rowsBefore(
  database: Database,
  session: SessionHead,
  request: StoreInput<"readBefore">,
): readonly StoredRow[] {
  let newest: StoredRow[] = [];
  let before: number | undefined = request.before;
  while (before !== undefined) {
    try {
      for (const row of rowsDown(database, session, before)) {
        if (newest.length >= request.limit) break;
        newest.push(row);
        before = row.seq;
      }
      const reached = newest.length >= request.limit || newest.at(-1)?.n === 1;
      return reached ? newest.reverse() : [];
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      // The first time a row may only be missing in between; the second time the row itself is damaged.
      if (newest.length === 0) before = cursorBelow(database, session.key, before);
      // Rows after damage are not part of the readable prefix.
      newest = [];
    }
  }
  return [];
}

/** Rows below a cursor, newest first. */
function* rowsDown(
  database: Database,
  session: SessionHead,
  before: number,
): Generator<StoredRow, void, undefined> {
  const found = database.each(
    `SELECT ${ROW} FROM rows WHERE session = ? AND seq < ? AND n < ? ORDER BY seq DESC`,
    session.key,
    before,
    session.damagedAt ?? Number.MAX_SAFE_INTEGER,
  );
  let above: number | undefined;
  for (const raw of found) {
    const row = checkedRow(raw, above === undefined ? undefined : above - 1);
    yield row;
    above = row.n;
  }
}

/** The cursor of the next row down; `undefined` when there is none that can be read. */
function cursorBelow(database: Database, key: number, cursor: number): number | undefined {
  try {
    const raw = database.one("SELECT max(seq) AS seq FROM rows WHERE session = ? AND seq < ?", key, cursor);
    return raw && nullableInteger(raw, "seq");
  } catch (thrown) {
    if (isDamage(thrown)) return undefined;
    throw thrown;
  }
}

/** Inserts rows as they are; `addRows` is what adds to a session. */
export function insertRows(database: Database, session: number, rows: readonly StoredRow[]): void {
  for (const row of rows) {
    const { seq, n, at, type, mid, body } = row;
    database.insert("rows", { session, seq, n, at, type, mid: mid ? 1 : 0, body, crc: rowChecksum(row) });
  }
}

/** Copies a session's rows up to `head` into another session, and returns their number. */
export function copyRows(
  database: Database,
  keys: { readonly from: number; readonly to: number },
  head: Head,
): number {
  return database.run(
    `INSERT INTO rows (session, seq, n, at, type, mid, body, crc)
     SELECT ?, seq, n, at, type, mid, body, crc FROM rows WHERE session = ? AND seq <= ?`,
    keys.to,
    keys.from,
    head.seq,
  );
}
