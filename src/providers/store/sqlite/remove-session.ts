import type { HostEntry } from "../operations.ts";
import { MARK } from "../state-entry.ts";
import { isUnusedBlob } from "./blobs.ts";
import { integer, text } from "./columns.ts";
import { findHolder, findSession } from "./sessions.ts";
import type { OperationContext } from "./operation-context.ts";

/** Rows that one step deletes, so that other processes get a turn in between. */
const STEP = 2_000;

/**
 * Makes a session disappear at once; `purge` deletes what is left of it step by step.
 *
 * @returns the holder, when another host than `holder` holds it and nothing was done
 */
export function removeSession(
  context: OperationContext,
  { session, holder }: { readonly session: string; readonly holder: string | undefined },
): { readonly removed: boolean; readonly holder?: HostEntry } {
  const { database, host } = context;
  const found = findSession(database, session);
  if (found === undefined) return { removed: false };
  const current = findHolder(database, session);
  if (current !== undefined && current.id !== host.id && current.id !== holder)
    return { removed: false, holder: current };
  for (const table of ["leases", "commands", "pieces", "states"])
    database.run(`DELETE FROM ${table} WHERE session = ?`, found.key);
  database.run(
    "UPDATE sessions SET id = NULL, marks = ?, title = '', words = '', cwd = '', source = '' WHERE key = ?",
    MARK.removed,
    found.key,
  );
  context.onceCommitted(() => context.held.delete(session));
  return { removed: true };
}

/** @returns whether there may be more to delete */
export function purgeRemovedSession({ database, blobs }: OperationContext): boolean {
  const row = database.one("SELECT key FROM sessions WHERE id IS NULL LIMIT 1");
  if (row === undefined) return false;
  const key = integer(row, "key");
  const deleted = database.run(
    `DELETE FROM rows WHERE session = ?1 AND seq <= (SELECT max(seq) FROM
       (SELECT seq FROM rows WHERE session = ?1 ORDER BY seq LIMIT ${STEP}))`,
    key,
  );
  if (deleted === STEP) return true;
  const hashes = database.all("SELECT hash FROM blob_refs WHERE session = ?", key);
  database.run("DELETE FROM blob_refs WHERE session = ?", key);
  // Before the commit: as long as this transaction holds the lock nobody can claim one of them again. A crash in
  // between leaves names of blobs that belong to a session which is gone; the next purge meets them again.
  for (const hash of hashes.map((each) => text(each, "hash"))) {
    if (isUnusedBlob(database, hash)) blobs.delete(hash);
  }
  database.run("DELETE FROM sessions WHERE key = ?", key);
  return true;
}
