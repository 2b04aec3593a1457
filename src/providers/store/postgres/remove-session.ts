import type { StoreInput, StoreOperations } from "../operations.ts";
import { MARK } from "../state-entry.ts";
import { deleteUnusedBlobs } from "./blobs.ts";
import { integer, storedText, text } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { HOST_COLUMNS, holderOf } from "./host-entry.ts";
import { statement } from "./statement.ts";

/** Rows that one step deletes. */
const STEP = 2_000;

/** $1 session, $2 hosts that may hold it, $3 the mark of a removed one, $4 lease. Appends and takeovers wait for the lock. */
const REMOVE = statement(
  "remove_session",
  `
  WITH target AS MATERIALIZED (
    SELECT key, host FROM sessions WHERE id = $1 FOR UPDATE
  ), free AS MATERIALIZED (
    SELECT key FROM target WHERE host IS NULL OR host = ANY ($2::text[])
  ), commands_gone AS (
    DELETE FROM commands c USING free f WHERE c.session = f.key RETURNING c.id
  ), pieces_gone AS (
    DELETE FROM pieces p USING free f WHERE p.session = f.key
  ), state_gone AS (
    DELETE FROM states t USING free f WHERE t.session = f.key
  ), removed AS (
    UPDATE sessions s SET id = NULL, host = NULL, marks = $3, title = '', words = '', cwd = '', source = '', people = '',
      waiting = 0, doing = ''
    FROM free f WHERE s.key = f.key RETURNING 1
  )
  SELECT t.host AS holder, EXISTS (SELECT 1 FROM removed) AS removed,
    ARRAY (SELECT id FROM commands_gone) AS commands, ${HOST_COLUMNS("$4")}
  FROM target t LEFT JOIN hosts h ON h.id = t.host
  `,
);

/**
 * Makes a session disappear at once; `purge` deletes what is left of it step by step.
 *
 * @returns the holder, when another host than `holder` holds it and nothing was done
 */
export async function removeSession(
  { sql, host, lease, held, announce }: Pick<PostgresContext, "sql" | "host" | "lease" | "held" | "announce">,
  { session, holder }: StoreInput<"remove">,
): Promise<ReturnType<StoreOperations["remove"]>> {
  const mayHold = holder === undefined ? [host.id] : [host.id, holder];
  const [row] = await sql.query(REMOVE, [storedText(session), mayHold, MARK.removed, lease.ms]);
  if (row === undefined) return { removed: false };
  if (row["removed"] !== true) {
    const current = holderOf(row, "holder");
    return current === undefined ? { removed: false } : { removed: false, holder: current };
  }
  held.delete(session);
  announce({ moved: session });
  const { commands } = row;
  if (Array.isArray(commands)) for (const id of commands) announce({ settled: text({ id }, "id") });
  return { removed: true };
}

/** Who purges has the session for itself: hosts that purge at the same time take different ones. */
const REMOVED = statement(
  "removed_session",
  "SELECT key FROM sessions WHERE id IS NULL ORDER BY key LIMIT 1 FOR UPDATE SKIP LOCKED",
);
const DELETE_ROWS = statement(
  "delete_rows",
  `
  WITH gone AS (
    DELETE FROM rows WHERE session = $1 AND seq <= (
      SELECT max(seq) FROM (SELECT seq FROM rows WHERE session = $1 ORDER BY seq LIMIT $2) AS oldest)
    RETURNING 1
  )
  SELECT count(*) AS count FROM gone
  `,
);
const DELETE_REFS = statement("delete_refs", "DELETE FROM blob_refs WHERE session = $1 RETURNING hash");
const DELETE_PIECES = statement("delete_pieces", "DELETE FROM pieces WHERE session = $1");
const DELETE_SESSION = statement("delete_session", "DELETE FROM sessions WHERE key = $1");

/** @returns whether there may be more to delete */
export function purgeRemovedSession({ sql }: Pick<PostgresContext, "sql">): Promise<boolean> {
  return sql.transaction(async (within) => {
    const [row] = await within.query(REMOVED);
    if (row === undefined) return false;
    const key = integer(row, "key");
    const [deleted = {}] = await within.query(DELETE_ROWS, [key, STEP]);
    if (integer(deleted, "count") === STEP) return true;
    const hashes = await within.query(DELETE_REFS, [key]);
    await deleteUnusedBlobs(
      within,
      hashes.map((each) => text(each, "hash")),
    );
    await within.query(DELETE_PIECES, [key]);
    await within.query(DELETE_SESSION, [key]);
    return true;
  }, true);
}
