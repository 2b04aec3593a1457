import { FEED_TYPES, type FeedPage, type FeedRow, type StoredRow } from "../../../core/index.ts";
import type { StoreInput } from "../operations.ts";
import { integer, nullableText, type ResultRow } from "./columns.ts";
import type { Database } from "./database.ts";
import { isDamage } from "./failure.ts";
import { checkedRow, insertRows, ROW } from "./log.ts";
import type { OperationContext } from "./operation-context.ts";

/** Who was away for longer has missed something. */
const KEPT_MS = 30 * 24 * 3_600_000;

const FED: ReadonlySet<string> = new Set(FEED_TYPES);

/** Adds rows after a session's last one, and those of them that others follow to the feed. */
export function addRows(database: Database, session: number, rows: readonly StoredRow[]): void {
  insertRows(database, session, rows);
  // What stands before the mark of an import happened elsewhere.
  const own = Math.max(
    rows.findLastIndex(({ type }) => type === "session.import"),
    0,
  );
  for (const { seq, at, type } of rows.slice(own))
    if (FED.has(type)) database.insert("feed", { session, seq, at });
}

export function readFeed({ database }: OperationContext, { after, limit }: StoreInput<"feed">): FeedPage {
  const entries = database.all(
    `SELECT f.position, f.session, f.seq, s.id FROM feed f LEFT JOIN sessions s ON s.key = f.session
     WHERE f.position > ? ORDER BY f.position LIMIT ?`,
    after,
    limit,
  );
  const last = entries.at(-1);
  return {
    rows: entries.flatMap((entry) => feedRow(database, entry) ?? []),
    next: last === undefined ? after : integer(last, "position"),
  };
}

/** The row of an entry; `undefined` when its session was removed, or the row cannot be read any more. */
function feedRow(database: Database, entry: ResultRow): FeedRow | undefined {
  const session = nullableText(entry, "id");
  if (session === undefined) return undefined;
  const sql = `SELECT ${ROW} FROM rows WHERE session = ? AND seq = ?`;
  try {
    const raw = database.one(sql, integer(entry, "session"), integer(entry, "seq"));
    return raw && { position: integer(entry, "position"), session, row: checkedRow(raw) };
  } catch (thrown) {
    if (isDamage(thrown)) return undefined;
    throw thrown;
  }
}

/** Deletes the oldest entries of the feed. */
export function sweepFeed(database: Database, now: number): void {
  database.run(
    "DELETE FROM feed WHERE position <= (SELECT max(position) FROM feed WHERE at < ?)",
    now - KEPT_MS,
  );
}
