import type { StoredRow } from "../../../core/index.ts";
import { decideAppend } from "../append-rules.ts";
import type { AppendOutcome, EncodedAppend } from "../operations.ts";
import { integer, type ResultRow, optionalInteger, optionalText } from "./columns.ts";
import { answerCommands } from "./commands.ts";
import { findHolder, insertSession, updateSession } from "./sessions.ts";
import { referenceBlob } from "./blobs.ts";
import { insertRows } from "./log.ts";
import { dropLease, takeLease } from "./leases.ts";
import type { OperationContext } from "./operation-context.ts";

/** What an append changes. */
interface Target {
  readonly key: number;
  readonly fence: number;
  readonly reserved: number;
}

export function append(context: OperationContext, order: EncodedAppend): AppendOutcome {
  const { database, host } = context;
  const line = findTarget(context, order.session);
  if (order.creates === true) return line === undefined ? begin(context, order) : { status: "exists" };
  if (line === undefined) return { status: "gone" };
  const place = {
    head: { n: integer(line, "n"), seq: integer(line, "seq") },
    host: optionalText(line, "host"),
    fence: optionalInteger(line, "fence") ?? 0,
  };
  const target = {
    key: integer(line, "key"),
    fence: place.fence,
    reserved: optionalInteger(line, "reserved") ?? 0,
  };
  const verdict = decideAppend(place, order, host.id);
  switch (verdict) {
    case "moved":
      return { status: "moved" };
    case "fenced":
      if (context.held.has(order.session) && place.host !== host.id) context.held.delete(order.session);
      return { status: "fenced" };
    case "owned": {
      const holder = findHolder(database, order.session);
      // It was there a moment ago, in the same transaction.
      return holder === undefined ? { status: "moved" } : { status: "owned", holder };
    }
    case "take":
    case "go": {
      change(context, target, order);
      context.onceCommitted(() => (context.appends += 1));
      return { status: "ok", fence: settleLease(context, target, { order, taking: verdict === "take" }) };
    }
  }
}

/** Makes the session with its first rows. */
function begin(context: OperationContext, order: EncodedAppend): AppendOutcome {
  const key = order.state && insertSession(context.database, order.session, order.state);
  if (key === undefined) return { status: "exists" };
  const { state: _stored, ...rest } = order;
  change(context, { key, fence: 0, reserved: 0 }, rest);
  context.onceCommitted(() => (context.appends += 1));
  const taking = !order.release;
  return { status: "ok", fence: settleLease(context, { key, fence: 0, reserved: 0 }, { order, taking }) };
}

function findTarget({ database }: OperationContext, session: string): ResultRow | undefined {
  return database.one(
    `SELECT s.key, s.n, s.seq, l.host, l.fence, l.reserved
     FROM sessions s LEFT JOIN leases l ON l.session = s.key WHERE s.id = ?`,
    session,
  );
}

function change(context: OperationContext, { key }: Target, order: EncodedAppend): void {
  const { database } = context;
  insertRows(database, key, order.rows);
  if (order.clearPieces) database.run("DELETE FROM pieces WHERE session = ?", key);
  for (const { cursor, kind, text } of order.pieces) {
    database.run(
      "INSERT INTO pieces (session, cursor, kind, text) VALUES (?, ?, ?, ?)",
      key,
      cursor,
      kind,
      text,
    );
  }
  if (order.state !== undefined) updateSession(database, { key, id: order.session }, order.state);
  for (const hash of order.blobs) referenceBlob(context, key, hash);
  answerCommands(context, order.results);
}

/** @returns the fence of the lease that is still held */
function settleLease(
  context: OperationContext,
  target: Target,
  { order, taking }: { readonly order: EncodedAppend; readonly taking: boolean },
): number | undefined {
  const { session } = order;
  const reserved = Math.max(target.reserved, mustReserve(context, order) ? order.reserve : 0);
  if (taking) return takeLease(context, { key: target.key, session, reserved }).fence;
  const lease = { key: target.key, session, fence: target.fence, reserved };
  if (order.release) {
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
export function isDurableAppend(context: OperationContext, order: EncodedAppend): boolean {
  return order.rows.length > 0 || order.results.length > 0 || mustReserve(context, order);
}

/**
 * Cursors are reserved along with what is synced anyway. Streamed text alone waits for the disk only when it goes
 * past what is reserved.
 */
function mustReserve(context: OperationContext, order: EncodedAppend): boolean {
  if (order.rows.length > 0 || order.results.length > 0 || order.fence === undefined) return true;
  const last = order.pieces.at(-1);
  const end = last === undefined ? 0 : last.cursor + last.text.length;
  return end > (context.held.get(order.session)?.reserved ?? -1);
}

/** Whether an append ends something: there must be room for it when there is no other any more. */
export const endsWork = ({ release, rows }: EncodedAppend): boolean =>
  release || rows.some(({ type }: StoredRow) => type === "turn.end");
