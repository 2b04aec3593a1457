import { crc32 } from "node:zlib";
import type { Piece, Snapshot, StoredRow } from "../../../core/index.ts";
import type { StoreInput } from "../operations.ts";
import { integer, nullableInteger, type ResultRow, storedText, text } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import type { Sql } from "./connections.ts";
import { statement } from "./statement.ts";

/** Characters of rows in one page, however few rows that is. */
const PAGE_SIZE = 4 * 1024 * 1024;
/** Rows read beyond a page's limit: a page goes on to the end of the reply that its last row stands in. */
const BEYOND = 32;

/** The columns of a row of the log, for a query that names its table `r`. */
export const ROW_COLUMNS = "r.n, r.seq, r.at, r.type, r.mid, r.body, r.crc";

/**
 * One look at a log: its head first, then rows, then the text that no row holds yet if the rows reach the end. In one statement, so
 * that all is of one moment.
 *
 * $1 session, $2 after, $3 rows at most, $4 their bytes at most
 */
const READ = statement(
  "read",
  `
  WITH found AS MATERIALIZED (
    SELECT key, n, seq, fence, damaged_at FROM sessions WHERE id = $1
  ), before AS MATERIALIZED (
    SELECT r.n FROM found f JOIN rows r ON r.session = f.key WHERE r.seq <= $2 ORDER BY r.seq DESC LIMIT 1
  ), next AS MATERIALIZED (
    SELECT ${ROW_COLUMNS}, sum(length(r.body)) OVER (ORDER BY r.seq) - length(r.body) AS size
    FROM found f JOIN rows r ON r.session = f.key WHERE r.seq > $2 ORDER BY r.seq LIMIT $3
  ), page AS MATERIALIZED (
    SELECT * FROM next WHERE size < $4
  ), streaming AS MATERIALIZED (
    -- From the piece that a reader stands in: of a long reply, whoever follows it reads the end alone.
    SELECT f.key, f.fence, CASE WHEN $2 <= f.seq THEN 0 ELSE coalesce((
      SELECT max(q."cursor") FROM pieces q WHERE q.session = f.key AND q.fence = f.fence AND q."cursor" <= $2), 0) END AS start
    FROM found f WHERE f.n = coalesce((SELECT max(n) FROM page), (SELECT n FROM before), 0)
  ), text AS (
    SELECT p."cursor", p.kind, p.text
    FROM streaming f JOIN pieces p ON p.session = f.key AND p.fence = f.fence AND p."cursor" >= f.start
  )
  SELECT 0 AS part, f.n, f.seq, f.damaged_at::bigint AS at, NULL AS type, NULL::bool AS mid, NULL AS body,
    (SELECT n FROM before)::bigint AS crc FROM found f
  UNION ALL
  SELECT 1, n, seq, at, type, mid, body, crc FROM page
  UNION ALL
  SELECT 2, NULL, "cursor", NULL, kind, NULL, text, NULL FROM text
  ORDER BY part, seq
  `,
);

/** The bounds of one look. */
interface Bounds {
  readonly rows: number;
  readonly bytes: number;
}

export async function readLog(
  { sql }: Pick<PostgresContext, "sql">,
  request: StoreInput<"read">,
): Promise<Snapshot | undefined> {
  const { session, after, limit } = request;
  // A page that ends inside a reply is read again, longer: replies of so many rows are rare.
  for (let longer = 1; ; longer *= 2) {
    const bounds = { rows: (limit + BEYOND) * longer, bytes: (PAGE_SIZE + 1) * longer };
    const answer = await sql.query(READ, [storedText(session), after, bounds.rows, bounds.bytes]);
    const [first, ...rest] = answer;
    if (first === undefined) return undefined;
    const snapshot = snapshotOf(first, rest, { ...request, bounds });
    if (snapshot !== undefined) return snapshot;
  }
}

/** @returns `undefined` when the page would end inside a reply */
function snapshotOf(
  first: ResultRow,
  rest: readonly ResultRow[],
  { after, limit, bounds }: StoreInput<"read"> & { readonly bounds: Bounds },
): Snapshot | undefined {
  const head = { n: integer(first, "n"), seq: integer(first, "seq") };
  const known = nullableInteger(first, "at");
  const found = rest.filter((row) => row["part"] === 1);
  const rows: StoredRow[] = [];
  let n = nullableInteger(first, "crc") ?? 0;
  let size = 0;
  const part = (end: Partial<Snapshot>): Snapshot => ({ rows, pieces: [], head, more: false, ...end });
  if (known !== undefined && known <= n) return part({ damagedAt: known });
  for (const raw of found) {
    const isFull = rows.length >= limit || size >= PAGE_SIZE;
    if (isFull && rows.at(-1)?.mid !== true) return part({ more: true });
    const row = checkedRow(raw, n + 1);
    if (row === undefined || row.n === known) return part({ damagedAt: n + 1 });
    rows.push(row);
    n = row.n;
    size += row.body.length;
  }
  const wasCut = found.length === bounds.rows || size >= bounds.bytes;
  if (n === head.n) return part({ pieces: piecesOf(rest, after, head.seq) });
  if (!wasCut) return part({ damagedAt: n + 1 });
  return rows.at(-1)?.mid === true ? undefined : part({ more: true });
}

function piecesOf(answer: readonly ResultRow[], after: number, end: number): readonly Piece[] {
  const pieces = answer.filter((row) => row["part"] === 2).map(pieceOf);
  return after <= end ? pieces : pieces.filter(({ cursor, text: said }) => cursor + said.length > after);
}

const pieceOf = (row: ResultRow): Piece => ({
  cursor: integer(row, "seq"),
  kind: row["type"] === "reasoning" ? "reasoning" : "text",
  text: text(row, "body"),
});

/** The row as it was stored; `undefined` when it is another one now, or its number is not `n`. */
export function checkedRow(raw: ResultRow, n?: number): StoredRow | undefined {
  const { body, type, mid } = raw;
  if (typeof body !== "string" || typeof type !== "string") return undefined;
  const row = {
    n: integer(raw, "n"),
    seq: integer(raw, "seq"),
    at: integer(raw, "at"),
    type,
    mid: mid === true,
    body,
  };
  if (n !== undefined && row.n !== n) return undefined;
  const sum = crc32(`${row.n} ${row.seq} ${row.at} ${type} ${row.mid ? 1 : 0}\n${body}`);
  return sum === raw["crc"] ? row : undefined;
}

const READ_BEFORE = statement(
  "read_before",
  `
  SELECT ${ROW_COLUMNS}, f.damaged_at FROM sessions f JOIN rows r ON r.session = f.key
  WHERE f.id = $1 AND r.seq < $2 AND r.n < coalesce(f.damaged_at, 2147483647)
  ORDER BY r.seq DESC LIMIT $3
  `,
);

/** The newest rows below a cursor, oldest first; none when damage stands among them. */
export async function readLogBefore(
  { sql }: { readonly sql: Pick<Sql, "query"> },
  { session, before, limit }: StoreInput<"readBefore">,
): Promise<readonly StoredRow[]> {
  const found = await sql.query(READ_BEFORE, [storedText(session), before, limit]);
  const rows: StoredRow[] = [];
  for (const raw of found) {
    const above = rows.at(-1)?.n;
    const row = checkedRow(raw, above === undefined ? undefined : above - 1);
    if (row === undefined) return [];
    rows.push(row);
  }
  return rows.toReversed();
}
