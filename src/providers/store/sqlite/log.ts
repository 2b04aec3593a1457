import type { Head, Piece, Snapshot, StoredRow } from "../../../core/index.ts";
import { rowChecksum } from "./checksum.ts";
import { integer, type ResultRow, optionalInteger, InvalidValueError, text } from "./columns.ts";
import { isDamage } from "./damage.ts";
import type { Database } from "./database.ts";
import { findSession, type SessionHead } from "./sessions.ts";
import type { OperationContext } from "./operation-context.ts";

/** Characters of rows in one page, however few rows that is. */
const PAGE_SIZE = 4 * 1024 * 1024;

const ROW = "n, seq, at, type, mid, body, crc, json_valid(body) AS sound";

/** Rows that follow each other, up to the first that cannot be read. */
export interface LogPage {
  readonly rows: readonly StoredRow[];
  readonly more: boolean;
  readonly damagedAt?: number;
}

export function readLog(
  context: OperationContext,
  request: { readonly session: string; readonly after: number; readonly limit: number },
): Snapshot | undefined {
  const session = findSession(context.database, request.session);
  if (session === undefined) return undefined;
  const page = readLogPage(context, session, request);
  const whole = !page.more && page.damagedAt === undefined;
  const pieces = whole ? piecesAfter(context.database, session, request.after) : [];
  return { ...page, pieces, head: session.head };
}

/** A page of rows after a cursor, checked. Damage that it meets is noted on the context. */
export function readLogPage(
  context: OperationContext,
  session: SessionHead,
  { after, limit }: { readonly after: number; readonly limit: number },
): LogPage {
  const { database } = context;
  const rows: StoredRow[] = [];
  const before = rowNumberAt(database, session.key, after);
  let { n } = before;
  let more = false;
  let size = 0;
  const damagedAt = firstOf(before.damagedAt, session.damagedAt);
  if (damagedAt !== undefined && damagedAt <= n) return damaged(context, session, { rows, n: damagedAt });
  try {
    const lines = database.each(
      `SELECT ${ROW} FROM rows WHERE session = ? AND seq > ? ORDER BY seq`,
      session.key,
      after,
    );
    for (const line of lines) {
      const full = rows.length >= limit || size >= PAGE_SIZE;
      // A page does not end inside a reply: its text comes with a later row.
      if (full && rows.at(-1)?.mid !== true) {
        more = true;
        break;
      }
      if (n + 1 === damagedAt) return damaged(context, session, { rows, n: damagedAt });
      const row = decodeRow(line, n + 1);
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

/** The number of the row at or before a cursor; 0 before the first. */
function rowNumberAt(database: Database, key: number, cursor: number): { n: number; damagedAt?: number } {
  try {
    const line = database.one(
      `SELECT ${ROW} FROM rows WHERE session = ? AND seq <= ? ORDER BY seq DESC LIMIT 1`,
      key,
      cursor,
    );
    return { n: line === undefined ? 0 : decodeRow(line).n };
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    // Rows count from one: its place in the log is its number, whatever stands in it.
    const n = integer(
      database.one("SELECT count(*) AS count FROM rows WHERE session = ? AND seq <= ?", key, cursor) ?? {},
      "count",
    );
    return { n, damagedAt: n };
  }
}

/** @throws InvalidValueError when the line is not what was stored, or has another number than is its turn */
function decodeRow(line: ResultRow, n?: number): StoredRow {
  const row: StoredRow = {
    n: integer(line, "n"),
    seq: integer(line, "seq"),
    at: integer(line, "at"),
    type: text(line, "type"),
    body: text(line, "body"),
    mid: integer(line, "mid") !== 0,
  };
  const sound = line["sound"] === 1 && integer(line, "mid") <= 1;
  if (!sound || rowChecksum(row) !== line["crc"]) throw new InvalidValueError(`row ${row.n} is damaged`);
  if (n !== undefined && row.n !== n) throw new InvalidValueError(`row ${n} is missing`);
  return row;
}

export function readLogBefore(
  context: OperationContext,
  request: { readonly session: string; readonly before: number; readonly limit: number },
): readonly StoredRow[] {
  const { database } = context;
  const session = findSession(database, request.session);
  if (session === undefined) return [];
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
      // The row below the last one may be sound, and only not the next; the second time it is the row itself.
      if (newest.length === 0) before = cursorBelow(database, session.key, before);
      // What stands after damage is not part of the readable prefix.
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
  const lines = database.each(
    `SELECT ${ROW} FROM rows WHERE session = ? AND seq < ? AND n < ? ORDER BY seq DESC`,
    session.key,
    before,
    session.damagedAt ?? Number.MAX_SAFE_INTEGER,
  );
  let above: number | undefined;
  for (const line of lines) {
    const row = decodeRow(line, above === undefined ? undefined : above - 1);
    yield row;
    above = row.n;
  }
}

/** The cursor of the next row down; `undefined` when there is none that can be read. */
function cursorBelow(database: Database, key: number, cursor: number): number | undefined {
  try {
    const line = database.one("SELECT max(seq) AS seq FROM rows WHERE session = ? AND seq < ?", key, cursor);
    return line && optionalInteger(line, "seq");
  } catch (thrown) {
    if (isDamage(thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Streamed text that no row holds yet. A reader inside of it gets what reaches beyond its cursor; one at the last row
 * gets all, for a row in the middle of a reply has text before it.
 */
function piecesAfter(database: Database, { key, head }: SessionHead, after: number): readonly Piece[] {
  const lines =
    after <= head.seq
      ? database.all("SELECT cursor, kind, text FROM pieces WHERE session = ? ORDER BY cursor", key)
      : database.all(
          `SELECT cursor, kind, text FROM pieces WHERE session = ?1 AND cursor >= coalesce(
             (SELECT max(cursor) FROM pieces WHERE session = ?1 AND cursor <= ?2), 0) ORDER BY cursor`,
          key,
          after,
        );
  return lines
    .map((line): Piece => ({
      cursor: integer(line, "cursor"),
      kind: line["kind"] === "reasoning" ? "reasoning" : "text",
      text: text(line, "text"),
    }))
    .filter(({ cursor, text }) => after <= head.seq || cursor + text.length > after);
}

/** Adds rows after a session's last one. */
export function insertRows(database: Database, key: number, rows: readonly StoredRow[]): void {
  for (const row of rows) {
    database.run(
      "INSERT INTO rows (session, seq, n, at, type, mid, body, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      key,
      row.seq,
      row.n,
      row.at,
      row.type,
      row.mid ? 1 : 0,
      row.body,
      rowChecksum(row),
    );
  }
}

/** Copies a session's rows up to its row `head` to another one. */
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
