import type { ChildRecord } from "../../../core/index.ts";
import type { HostHoldings, StoreInput } from "../operations.ts";
import { integer, text } from "./columns.ts";
import { HOST_COLUMNS, hostEntry } from "./host-entry.ts";
import type { OperationContext } from "./operation-context.ts";

/** Shows this host to others, with a fresh beat: it is about to hold something. */
export function registerHost(context: OperationContext): void {
  const { database, host } = context;
  context.beats += 1;
  database.run(
    `INSERT INTO hosts (id, machine_id, boot_id, pid_namespace, pid, started_at, beat, ended)
     VALUES (?, ?, ?, ?, ?, ?, ?, 0) ON CONFLICT (id) DO UPDATE SET beat = beat + 1, ended = 0`,
    host.id,
    host.machineId,
    host.bootId,
    host.pidNamespace,
    host.pid,
    host.startedAt,
    context.beats,
  );
}

/** Raises this host's beat. When it holds nothing it removes its row instead, and returns `false`. */
export function beat(context: OperationContext): boolean {
  const { database, host } = context;
  context.beats += 1;
  if (database.integer("holds", HOLDINGS, host.id) === 1) {
    database.run("UPDATE hosts SET beat = beat + 1 WHERE id = ?", host.id);
    return true;
  }
  database.run("DELETE FROM hosts WHERE id = ?", host.id);
  return false;
}

/** A command that was taken and not answered counts: its sender waits for this host. */
const HOLDINGS = `
  SELECT EXISTS (SELECT 1 FROM leases WHERE host = ?1) OR EXISTS (SELECT 1 FROM children WHERE host = ?1)
    OR EXISTS (SELECT 1 FROM commands WHERE taken = ?1 AND ok IS NULL)
    OR EXISTS (SELECT 1 FROM records WHERE claim = ?1) AS holds
`;

/** Ends this host: others may take over at once what it still holds. */
export function endHost(context: OperationContext): void {
  if (beat(context)) context.database.run("UPDATE hosts SET ended = 1 WHERE id = ?", context.host.id);
  else context.saved.remove(context.host.id);
  context.database.run("DELETE FROM blob_claims WHERE host = ?", context.host.id);
}

/** Lists the hosts that hold something, or died while they did. */
export function listHosts({ database }: OperationContext): readonly HostHoldings[] {
  const hosts = database.all(`SELECT ${HOST_COLUMNS} FROM hosts h ORDER BY h.id`).map(hostEntry);
  return hosts.map((host) => {
    const children = database.all(
      "SELECT pid, started_at, session, label FROM children WHERE host = ? ORDER BY pid",
      host.id,
    );
    const sessions = database.all(
      "SELECT s.id FROM leases l JOIN sessions s ON s.key = l.session WHERE l.host = ? AND s.id IS NOT NULL ORDER BY s.key",
      host.id,
    );
    return {
      host,
      children: children.map((row) => ({
        pid: integer(row, "pid"),
        startedAt: text(row, "started_at"),
        session: text(row, "session"),
        label: text(row, "label"),
      })),
      sessions: sessions.map((row) => text(row, "id")),
    };
  });
}

/** Forgets a dead host. It stays known as long as it holds a session, until another host takes that over. */
export function forgetHost(
  { database, saved }: OperationContext,
  { host, beat: deadAt }: StoreInput<"forgetHost">,
): void {
  const now = database.one("SELECT beat, ended FROM hosts WHERE id = ?", host);
  if (now !== undefined && deadAt !== undefined && integer(now, "beat") !== deadAt && now["ended"] !== 1)
    return;
  database.run("DELETE FROM children WHERE host = ?", host);
  database.run("UPDATE commands SET taken = NULL WHERE taken = ? AND ok IS NULL", host);
  database.run("DELETE FROM blob_claims WHERE host = ?", host);
  const forgotten = database.run(
    "DELETE FROM hosts WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM leases WHERE host = ?1)",
    host,
  );
  // Before the commit: as long as this transaction holds the lock, the host can take no lease.
  if (forgotten > 0) saved.discard(host);
}

export function recordChild(context: OperationContext, child: ChildRecord): void {
  registerHost(context);
  context.database.run(
    "INSERT OR REPLACE INTO children (host, pid, started_at, session, label) VALUES (?, ?, ?, ?, ?)",
    context.host.id,
    child.pid,
    child.startedAt,
    child.session,
    child.label,
  );
}

export function forgetChild({ database, host }: OperationContext, pid: number): void {
  database.run("DELETE FROM children WHERE host = ? AND pid = ?", host.id, pid);
}
