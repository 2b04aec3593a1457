import { HostError } from "../../../shared/errors/host-error.ts";
import type { Head } from "../../../core/index.ts";
import type { SessionDraft } from "../operations.ts";
import { sessionReplaced } from "../append-rules.ts";
import { addRows } from "./feed.ts";
import { copyRows } from "./log.ts";
import { findSession, insertSession } from "./sessions.ts";
import type { OperationContext } from "./operation-context.ts";

export function createSession({ database }: OperationContext, { id, rows, state }: SessionDraft): boolean {
  const key = insertSession(database, id, state);
  if (key === undefined) return false;
  addRows(database, key, rows);
  return true;
}

export function branchSession(
  { database }: OperationContext,
  { from, head, id, rows, state }: SessionDraft & { readonly from: string; readonly head: Head },
): boolean {
  const source = findSession(database, from);
  if (source === undefined) throw new HostError("session_not_found", `Session not found: ${from}`);
  const key = insertSession(database, id, state);
  if (key === undefined) return false;
  const copied = copyRows(database, { from: source.key, to: key }, head);
  if (copied !== head.n) throw sessionReplaced(from);
  addRows(database, key, rows);
  database.run(
    "INSERT OR IGNORE INTO blob_refs (hash, session) SELECT hash, ? FROM blob_refs WHERE session = ?",
    key,
    source.key,
  );
  if (source.damagedAt !== undefined && source.damagedAt <= head.n) {
    database.run("UPDATE sessions SET damaged_at = ? WHERE key = ?", source.damagedAt, key);
  }
  return true;
}
