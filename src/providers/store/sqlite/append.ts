import type { StoredRow } from "../../../core/index.ts";
import { decideAppend, type LeaseState } from "../append-rules.ts";
import type { AppendOutcome, EncodedAppend } from "../operations.ts";
import { integer, nullableInteger, nullableText } from "./columns.ts";
import { answerCommands, withdrawnCommands } from "./commands.ts";
import { findHolder, insertSession, updateSession } from "./sessions.ts";
import { referenceBlob } from "./blobs.ts";
import { addRows } from "./feed.ts";
import { dropLease, takeLease } from "./leases.ts";
import type { OperationContext } from "./operation-context.ts";

/** The session that an append changes, with the cursors that are reserved for it. */
interface Target extends LeaseState {
  readonly key: number;
  readonly reserved: number;
}

export function append(context: OperationContext, request: EncodedAppend): AppendOutcome {
  const { database, host } = context;
  const target = findTarget(context, request.session);
  if (request.creates === true) return target === undefined ? begin(context, request) : { status: "exists" };
  if (target === undefined) return { status: "gone" };
  const decision = decideAppend(target, request, host.id);
  switch (decision) {
    case "moved":
      return { status: "moved" };
    case "fenced":
      if (context.held.has(request.session) && target.host !== host.id) context.held.delete(request.session);
      return { status: "fenced" };
    case "owned": {
      const holder = findHolder(database, request.session);
      // It always is: the lease was read in this transaction.
      return holder === undefined ? { status: "moved" } : { status: "owned", holder };
    }
    case "take":
    case "go": {
      const withdrawn = withdrawnCommands(context, request.results);
      if (withdrawn.length > 0 && request.rows.length > 0)
        return { status: "withdrawn", commands: withdrawn };
      const fence = carryOut(context, target, { request, taking: decision === "take" });
      return { status: "ok", fence, ...(withdrawn.length > 0 && { withdrawn }) };
    }
  }
}

function begin(context: OperationContext, request: EncodedAppend): AppendOutcome {
  const key = request.state && insertSession(context.database, request.session, request.state);
  if (key === undefined) return { status: "exists" };
  const { state: _stored, ...rest } = request;
  const target = { key, fence: 0, reserved: 0 };
  return { status: "ok", fence: carryOut(context, target, { request: rest, taking: !request.release }) };
}

function findTarget({ database }: OperationContext, session: string): Target | undefined {
  const row = database.one(
    `SELECT s.key, s.n, s.seq, l.host, l.fence, l.reserved
     FROM sessions s LEFT JOIN leases l ON l.session = s.key WHERE s.id = ?`,
    session,
  );
  return (
    row && {
      key: integer(row, "key"),
      head: { n: integer(row, "n"), seq: integer(row, "seq") },
      host: nullableText(row, "host"),
      fence: nullableInteger(row, "fence") ?? 0,
      reserved: nullableInteger(row, "reserved") ?? 0,
    }
  );
}

/** An append that was decided; `taking`: it takes the session's lease. */
interface Decided {
  readonly request: EncodedAppend;
  readonly taking: boolean;
}

type Lease = Pick<Target, "key" | "fence" | "reserved">;

/** @returns the fence of the lease that is still held */
function carryOut(context: OperationContext, target: Lease, decided: Decided): number | undefined {
  const { database } = context;
  const { request } = decided;
  const { key } = target;
  addRows(database, key, request.rows);
  if (request.clearPieces) database.run("DELETE FROM pieces WHERE session = ?", key);
  for (const { cursor, kind, text } of request.pieces)
    database.insert("pieces", { session: key, cursor, kind, text });
  if (request.state !== undefined) updateSession(database, { key, id: request.session }, request.state);
  for (const hash of request.blobs) referenceBlob(context, key, hash);
  answerCommands(context, request.results, "appended");
  context.onceCommitted(() => (context.appends += 1));
  return settleLease(context, target, decided);
}

/** @returns the fence of the lease that is still held */
function settleLease(
  context: OperationContext,
  target: Lease,
  { request, taking }: Decided,
): number | undefined {
  const { session } = request;
  const reserved = Math.max(target.reserved, mustReserve(context, request) ? request.reserve : 0);
  if (taking) return takeLease(context, { key: target.key, session, reserved }).fence;
  const lease = { key: target.key, session, fence: target.fence, reserved };
  if (request.release) {
    dropLease(context, lease);
    return undefined;
  }
  if (reserved > target.reserved) {
    context.database.run("UPDATE leases SET reserved = ? WHERE session = ?", reserved, target.key);
    context.onceCommitted(() => context.held.set(session, { fence: target.fence, reserved }));
  }
  return target.fence;
}

/** Whether an append must reach the disk before it is answered. */
export function isDurableAppend(context: OperationContext, request: EncodedAppend): boolean {
  return request.rows.length > 0 || request.results.length > 0 || mustReserve(context, request);
}

/**
 * Whether an append saves a new reservation of cursors. Synced appends do so without extra cost; streamed text alone
 * waits for the disk only when it goes past the reserved cursors.
 */
function mustReserve(context: OperationContext, request: EncodedAppend): boolean {
  if (request.rows.length > 0 || request.results.length > 0 || request.fence === undefined) return true;
  const last = request.pieces.at(-1);
  const end = last === undefined ? 0 : last.cursor + last.text.length;
  return end > (context.held.get(request.session)?.reserved ?? -1);
}

/** Whether an append ends a turn or gives a lease back: it may use the reserved room on a full disk. */
export const endsWork = ({ release, rows }: EncodedAppend): boolean =>
  release || rows.some(({ type }: StoredRow) => type === "turn.end");
