import { integer } from "./columns.ts";
import type { Database } from "./database.ts";
import { registerHost } from "./hosts.ts";
import type { HeldLease, OperationContext } from "./operation-context.ts";

/** A session and what shall be known of its lease. */
export interface LeaseUpdate {
  readonly key: number;
  readonly session: string;
  readonly reserved: number;
}

/** Gives a session's lease to this host, under a number that was never given before. */
export function takeLease(context: OperationContext, { key, session, reserved }: LeaseUpdate): HeldLease {
  const { database, host } = context;
  const fence = nextFence(database);
  registerHost(context);
  database.run(
    `INSERT INTO leases (session, host, fence, reserved) VALUES (?, ?, ?, ?)
     ON CONFLICT (session) DO UPDATE SET host = excluded.host, fence = excluded.fence, reserved = excluded.reserved`,
    key,
    host.id,
    fence,
    reserved,
  );
  const lease = { fence, reserved };
  context.onceCommitted(() => {
    context.held.set(session, lease);
    // Commands may wait for whoever drives the session.
    context.commandsChanged = true;
  });
  return lease;
}

/** Gives a lease back; its numbers go on from where they were. */
export function dropLease(context: OperationContext, { key, session, reserved }: LeaseUpdate): void {
  context.database.run(
    `INSERT INTO leases (session, host, fence, reserved) VALUES (?, NULL, 0, ?)
     ON CONFLICT (session) DO UPDATE SET host = NULL, reserved = excluded.reserved`,
    key,
    reserved,
  );
  context.onceCommitted(() => context.held.delete(session));
}

/** One count for all sessions: a session that is removed and made again does not start anew. */
function nextFence(database: Database): number {
  const line = database.one(
    `INSERT INTO counters (name, value) VALUES ('fence', 1)
     ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
  );
  return integer(line ?? {}, "value");
}

/** Takes the lease of a dead host, unless it has moved or shown life since. */
export function takeOver(
  context: OperationContext,
  { session, from, beat }: { readonly session: string; readonly from: string; readonly beat: number },
): HeldLease | undefined {
  const { database } = context;
  const line = database.one(
    `SELECT s.key, l.reserved FROM sessions s
       JOIN leases l ON l.session = s.key LEFT JOIN hosts h ON h.id = l.host
     WHERE s.id = ? AND l.host = ? AND coalesce(h.beat, 0) = ?`,
    session,
    from,
    beat,
  );
  if (line === undefined) return undefined;
  const key = integer(line, "key");
  // What it had taken and not answered, it had not carried out.
  database.run("UPDATE commands SET taken = NULL WHERE session = ? AND taken = ? AND ok IS NULL", key, from);
  return takeLease(context, { key, session, reserved: integer(line, "reserved") });
}
