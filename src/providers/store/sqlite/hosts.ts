import type { ChildRecord } from "../../../core/index.ts";
import type { HostFacts, HostRemains } from "../operations.ts";
import { integer, text } from "./columns.ts";
import { sweepCommands } from "./commands.ts";
import { HOST_COLUMNS, hostFacts } from "./host-entry.ts";
import type { Site } from "./operation-context.ts";

/** Puts this host's line where others can see it, with a fresh beat: it is about to hold something. */
export function showHost({ database, me }: Site): void {
  database.run(
    `INSERT INTO hosts (id, machine_id, boot_id, pid_namespace, pid, started_at, beat, ended)
     VALUES (?, ?, ?, ?, ?, ?, 1, 0) ON CONFLICT (id) DO UPDATE SET beat = beat + 1, ended = 0`,
    me.id,
    me.machineId,
    me.bootId,
    me.pidNamespace,
    me.pid,
    me.startedAt,
  );
}

/** @returns `false` when this host holds nothing: then its line goes, and nobody looks for it any more */
export function heartbeat(site: Site, now: number): boolean {
  // A command that nobody waits for any more is nothing to live for.
  sweepCommands(site.database, now);
  return beat(site);
}

function beat({ database, me }: Site): boolean {
  if (holdsSomething(database.one(HOLDINGS, me.id, me.id, me.id, me.id) ?? {})) {
    database.run("UPDATE hosts SET beat = beat + 1 WHERE id = ?", me.id);
    return true;
  }
  database.run("DELETE FROM hosts WHERE id = ?", me.id);
  return false;
}

/** A command that was taken and not answered counts: its sender waits for this host. */
const HOLDINGS = `
  SELECT EXISTS (SELECT 1 FROM leases WHERE host = ?) AS leases,
    EXISTS (SELECT 1 FROM children WHERE host = ?) AS children,
    EXISTS (SELECT 1 FROM commands WHERE taken = ? AND ok IS NULL) AS commands,
    EXISTS (SELECT 1 FROM records WHERE claim = ?) AS records
`;

const holdsSomething = (line: Readonly<Record<string, unknown>>): boolean => Object.values(line).includes(1);

/** Ends this host: what it still holds is there for others, at once. */
export function endHost(site: Site): void {
  if (beat(site)) site.database.run("UPDATE hosts SET ended = 1 WHERE id = ?", site.me.id);
  site.database.run("DELETE FROM blob_claims WHERE host = ?", site.me.id);
}

/** All hosts that hold something, or died when they did. */
export function listHosts({ database }: Site): readonly HostRemains[] {
  const hosts = database.all(`SELECT ${HOST_COLUMNS} FROM hosts h ORDER BY h.id`).map(hostFacts);
  return hosts.map((host) => remainsOf(host));

  function remainsOf(host: HostFacts): HostRemains {
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
      children: children.map((line) => ({
        pid: integer(line, "pid"),
        startedAt: text(line, "started_at"),
        session: text(line, "session"),
        label: text(line, "label"),
      })),
      sessions: sessions.map((line) => text(line, "id")),
    };
  }
}

/** Forgets a dead host. As long as it still holds a session it stays known: somebody must take that over. */
export function bury({ database }: Site, host: string): void {
  database.run("DELETE FROM children WHERE host = ?", host);
  database.run("UPDATE commands SET taken = NULL WHERE taken = ? AND ok IS NULL", host);
  database.run("DELETE FROM blob_claims WHERE host = ?", host);
  database.run("DELETE FROM hosts WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM leases WHERE host = ?1)", host);
}

export function recordChild(site: Site, child: ChildRecord): void {
  showHost(site);
  site.database.run(
    "INSERT OR REPLACE INTO children (host, pid, started_at, session, label) VALUES (?, ?, ?, ?, ?)",
    site.me.id,
    child.pid,
    child.startedAt,
    child.session,
    child.label,
  );
}

export function forgetChild({ database, me }: Site, pid: number): void {
  database.run("DELETE FROM children WHERE host = ? AND pid = ?", me.id, pid);
}
