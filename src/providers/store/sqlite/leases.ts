import { integer } from "./columns.ts";
import type { Database } from "./database.ts";
import { registerHost } from "./hosts.ts";
import type { HeldLease, OperationContext } from "./operation-context.ts";
import { adoptPieces } from "./pieces.ts";

/** A session, and the reservation that its lease gets. */
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
  const lease = { fence, reserved };
  database.insert(
    "leases",
    { session: key, host: host.id, ...lease },
    "ON CONFLICT (session) DO UPDATE SET host = excluded.host, fence = excluded.fence, reserved = excluded.reserved",
  );
  context.onceCommitted(() => {
    context.held.set(session, lease);
    // Commands may wait for the driver of the session.
    context.commandsChanged = true;
  });
  return lease;
}

/** Gives a lease back; the reserved cursors stay reserved. */
export function dropLease(context: OperationContext, { key, session, reserved }: LeaseUpdate): void {
  context.database.insert(
    "leases",
    { session: key, host: null, fence: 0, reserved },
    "ON CONFLICT (session) DO UPDATE SET host = NULL, reserved = excluded.reserved",
  );
  context.onceCommitted(() => context.held.delete(session));
}

/** Counts once for all sessions, so that a session that is removed and made again gets no old number. */
function nextFence(database: Database): number {
  return database.integer(
    "value",
    `INSERT INTO counters (name, value) VALUES ('fence', 1)
     ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
  );
}

/** Takes the lease of a dead host, unless the lease has moved or the host has shown life since. */
export function takeOver(
  context: OperationContext,
  { session, from, beat }: { readonly session: string; readonly from: string; readonly beat: number },
): HeldLease | undefined {
  const { database } = context;
  const row = database.one(
    `SELECT s.key, l.fence, l.reserved FROM sessions s
       JOIN leases l ON l.session = s.key LEFT JOIN hosts h ON h.id = l.host
     WHERE s.id = ? AND l.host = ? AND coalesce(h.beat, 0) = ?`,
    session,
    from,
    beat,
  );
  if (row === undefined) return undefined;
  const key = integer(row, "key");
  adoptPieces(context, { key, host: from, fence: integer(row, "fence") });
  // The dead host did not carry out the commands that it took and never answered.
  database.run("UPDATE commands SET taken = NULL WHERE session = ? AND taken = ? AND ok IS NULL", key, from);
  return takeLease(context, { key, session, reserved: integer(row, "reserved") });
}
