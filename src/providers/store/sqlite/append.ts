import type { StoredRow } from "../../../core/index.ts";
import { judgeAppend } from "../append-rules.ts";
import type { AppendAnswer, AppendOrder } from "../operations.ts";
import { integer, type Line, maybeInteger, maybeText } from "./columns.ts";
import { answerCommands } from "./commands.ts";
import { findHolder, insertSession, updateSession } from "./sessions.ts";
import { nameBlob } from "./blobs.ts";
import { insertRows } from "./log.ts";
import { dropLease, takeLease } from "./leases.ts";
import type { Site } from "./operation-context.ts";

/** What an append changes. */
interface Target {
  readonly key: number;
  readonly fence: number;
  readonly reserved: number;
}

export function append(site: Site, order: AppendOrder): AppendAnswer {
  const { database, me } = site;
  const line = findTarget(site, order.session);
  if (order.creates === true) return line === undefined ? begin(site, order) : { status: "exists" };
  if (line === undefined) return { status: "gone" };
  const place = {
    head: { n: integer(line, "n"), seq: integer(line, "seq") },
    host: maybeText(line, "host"),
    fence: maybeInteger(line, "fence") ?? 0,
  };
  const target = {
    key: integer(line, "key"),
    fence: place.fence,
    reserved: maybeInteger(line, "reserved") ?? 0,
  };
  const verdict = judgeAppend(place, order, me.id);
  switch (verdict) {
    case "moved":
      return { status: "moved" };
    case "fenced":
      if (site.held.has(order.session) && place.host !== me.id) site.held.delete(order.session);
      return { status: "fenced" };
    case "owned": {
      const holder = findHolder(database, order.session);
      // It was there a moment ago, in the same transaction.
      return holder === undefined ? { status: "moved" } : { status: "owned", holder };
    }
    case "take":
    case "go": {
      change(site, target, order);
      site.onceCommitted(() => (site.appends += 1));
      return { status: "ok", fence: settleLease(site, target, { order, taking: verdict === "take" }) };
    }
  }
}

/** Makes the session with its first rows. */
function begin(site: Site, order: AppendOrder): AppendAnswer {
  const key = order.state && insertSession(site.database, order.session, order.state);
  if (key === undefined) return { status: "exists" };
  const { state: _stored, ...rest } = order;
  change(site, { key, fence: 0, reserved: 0 }, rest);
  site.onceCommitted(() => (site.appends += 1));
  const taking = !order.release;
  return { status: "ok", fence: settleLease(site, { key, fence: 0, reserved: 0 }, { order, taking }) };
}

function findTarget({ database }: Site, session: string): Line | undefined {
  return database.one(
    `SELECT s.key, s.n, s.seq, l.host, l.fence, l.reserved
     FROM sessions s LEFT JOIN leases l ON l.session = s.key WHERE s.id = ?`,
    session,
  );
}

function change(site: Site, { key }: Target, order: AppendOrder): void {
  const { database } = site;
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
  for (const hash of order.blobs) nameBlob(site, key, hash);
  answerCommands(site, order.results);
}

/** @returns the fence of the lease that is still held */
function settleLease(
  site: Site,
  target: Target,
  { order, taking }: { readonly order: AppendOrder; readonly taking: boolean },
): number | undefined {
  const { session } = order;
  const reserved = Math.max(target.reserved, mustReserve(site, order) ? order.reserve : 0);
  if (taking) return takeLease(site, { key: target.key, session, reserved }).fence;
  const lease = { key: target.key, session, fence: target.fence, reserved };
  if (order.release) {
    dropLease(site, lease);
    return undefined;
  }
  if (reserved > target.reserved) {
    site.database.run("UPDATE leases SET reserved = ? WHERE session = ?", reserved, target.key);
    site.onceCommitted(() => site.held.set(session, { fence: target.fence, reserved }));
  }
  return target.fence;
}

/** Whether an append must reach the disk before it is answered. */
export function isDurableAppend(site: Site, order: AppendOrder): boolean {
  return order.rows.length > 0 || order.results.length > 0 || mustReserve(site, order);
}

/**
 * Cursors are reserved along with what is synced anyway. Streamed text alone waits for the disk only when it goes
 * past what is reserved.
 */
function mustReserve(site: Site, order: AppendOrder): boolean {
  if (order.rows.length > 0 || order.results.length > 0 || order.fence === undefined) return true;
  const last = order.pieces.at(-1);
  const end = last === undefined ? 0 : last.cursor + last.text.length;
  return end > (site.held.get(order.session)?.reserved ?? -1);
}

/** Whether an append ends something: there must be room for it when there is no other any more. */
export const endsWork = ({ release, rows }: AppendOrder): boolean =>
  release || rows.some(({ type }: StoredRow) => type === "turn.end");
