import type { FeedPage, FeedRow } from "../../../core/index.ts";
import type { StoreInput } from "../operations.ts";
import { integer, nullableInteger, nullableText, type ResultRow } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { checkedRow, ROW_COLUMNS } from "./log.ts";
import { statement } from "./statement.ts";

type Reading = Pick<PostgresContext, "sql">;

/** Who was away for longer has missed something. */
const KEPT_MS = 30 * 24 * 3_600_000;

/** A page of the entries after $1, $2 at most; and on each row, of which there is at least one, whether there are new entries. */
const READ = statement(
  "read_feed",
  `
  SELECT EXISTS (SELECT 1 FROM feed WHERE position IS NULL) AS is_behind, p.position, s.id, ${ROW_COLUMNS}
  FROM (VALUES (1)) AS always
    LEFT JOIN (
      SELECT position, session, seq FROM feed WHERE position > $1 ORDER BY position LIMIT $2
    ) AS p ON true
    LEFT JOIN sessions s ON s.key = p.session
    LEFT JOIN rows r ON r.session = p.session AND r.seq = p.seq
  ORDER BY p.position
  `,
);

/** The lock under which one reader at a time numbers entries: "feed" in ASCII. */
const FEED_LOCK = 0x66656564;
const LOCK = statement("lock_feed", "SELECT pg_advisory_xact_lock($1)");
/** A statement after the lock's: it sees what the reader before has numbered. */
const NUMBER = statement(
  "number_feed",
  `
  UPDATE feed f SET position = new.position
  FROM (
    SELECT entry, nextval('feed_positions') AS position
    FROM (SELECT entry FROM feed WHERE position IS NULL ORDER BY entry) AS found
  ) AS new
  WHERE f.entry = new.entry
  `,
);

/**
 * Reads a page of the feed. New entries get their numbers from the first reader that finds them, and are read once that is committed:
 * whatever is committed later gets a higher number.
 */
export async function readFeed({ sql }: Reading, request: StoreInput<"feed">): Promise<FeedPage> {
  const { after, limit } = request;
  let rows = await sql.query(READ, [after, limit]);
  const isFull = rows.length >= limit && rows[0]?.["position"] !== null;
  if (!isFull && rows[0]?.["is_behind"] === true) {
    await sql.transaction(async (within) => {
      await within.query(LOCK, [FEED_LOCK]);
      await within.query(NUMBER);
    });
    rows = await sql.query(READ, [after, limit]);
  }
  const entries = rows.filter((row) => row["position"] !== null);
  return {
    rows: entries.flatMap((row) => feedRow(row) ?? []),
    next: nullableInteger(entries.at(-1) ?? {}, "position") ?? after,
  };
}

/** The row of an entry; `undefined` when its session was removed, or the row cannot be read any more. */
function feedRow(raw: ResultRow): FeedRow | undefined {
  const session = nullableText(raw, "id");
  const row = session === undefined ? undefined : checkedRow(raw);
  return session === undefined || row === undefined
    ? undefined
    : { position: integer(raw, "position"), session, row };
}

/** Entries that nobody has read have no number, and go with their time. */
const SWEEP = statement(
  "sweep_feed",
  "DELETE FROM feed WHERE position <= (SELECT max(position) FROM feed WHERE at < $1) OR (position IS NULL AND at < $1)",
);

/** Deletes the oldest entries of the feed. */
export async function sweepFeed({ sql }: Reading, now: number): Promise<void> {
  await sql.query(SWEEP, [now - KEPT_MS]);
}
