import type { ChildRecord } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HostHoldings, StoreInput } from "../operations.ts";
import { integer, storedText, text } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { HOST_COLUMNS, holderOf, hostEntry } from "./host-entry.ts";
import { statement } from "./statement.ts";

const HOSTS = statement(
  "hosts",
  `
  SELECT ${HOST_COLUMNS("$1")},
    (SELECT json_agg(json_build_object('pid', c.pid, 'startedAt', c.started_at, 'session', c.session, 'label', c.label)
       ORDER BY c.pid) FROM children c WHERE c.host = h.id) AS children,
    (SELECT json_agg(s.id ORDER BY s.key) FROM sessions s WHERE s.host = h.id AND s.id IS NOT NULL) AS sessions
  FROM hosts h ORDER BY h.id
  `,
);

/** What nobody holds who is known: its holder was forgotten while it took it. */
const ORPHANS = statement(
  "orphans",
  `
  SELECT s.host AS holder, NULL AS host_id, json_agg(s.id ORDER BY s.key) AS sessions
  FROM sessions s WHERE s.host IS NOT NULL AND s.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hosts h WHERE h.id = s.host)
  GROUP BY s.host
  `,
);

/** The hosts of the database; one that died stays until nothing of it is left. */
export async function listHosts({ sql, lease }: PostgresContext): Promise<readonly HostHoldings[]> {
  const rows = await sql.query(HOSTS, [lease.ms]);
  const known = rows.map((row) => ({
    host: hostEntry(row),
    // Both are what the statements above make of columns.
    children: (row["children"] ?? []) as readonly ChildRecord[],
    sessions: (row["sessions"] ?? []) as readonly string[],
  }));
  const orphans = (await sql.query(ORPHANS)).flatMap((row) => {
    const host = holderOf(row, "holder");
    return host === undefined
      ? []
      : [{ host, children: [], sessions: (row["sessions"] ?? []) as readonly string[] }];
  });
  return [...known, ...orphans];
}

/** Who takes something for a host holds its row: what is given back in its name afterwards is all that it has. */
export const LOCK_HOST = statement("lock_host", "SELECT 1 FROM hosts WHERE id = $1 FOR UPDATE");

/** Beside the host $1, as long as it is known, one that ended: $2. */
export const BURY_HOST = statement(
  "bury_host",
  `
  INSERT INTO hosts (id, machine_id, boot_id, pid_namespace, pid, started_at, beat, beat_at, ended, epoch)
  SELECT $2, machine_id, boot_id, pid_namespace, pid, started_at, beat, beat_at, true, epoch FROM hosts WHERE id = $1
  UNION ALL
  SELECT $2, '', '', '', 0, '', 0, clock_timestamp(), true, 0 WHERE NOT EXISTS (SELECT 1 FROM hosts WHERE id = $1)
  `,
);

const FORGET = [
  statement("forget_children", "DELETE FROM children WHERE host = $1"),
  statement("forget_commands", "UPDATE commands SET taken = NULL WHERE taken = $1 AND ok IS NULL"),
  statement("forget_claims", "DELETE FROM blob_claims WHERE host = $1"),
  statement(
    "forget_host",
    "DELETE FROM hosts WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM sessions WHERE host = $1)",
  ),
];

/** Nothing of a host that shows life again is given away. $1 host, $2 the beat at which it was dead. */
const LIVES = statement("lives", "SELECT 1 FROM hosts WHERE id = $1 AND NOT ended AND beat <> $2::bigint");

/** Forgets a dead host. It stays known as long as it holds a session, until another host takes that over. */
export function forgetHost(
  { sql }: Pick<PostgresContext, "sql">,
  { host, beat }: StoreInput<"forgetHost">,
): Promise<void> {
  return sql.transaction(async (within) => {
    await within.query(LOCK_HOST, [host]);
    if ((await within.query(LIVES, [host, beat ?? null])).length > 0) return;
    for (const each of FORGET) await within.query(each, [host]);
  });
}

const RECORD_CHILD = statement(
  "record_child",
  `
  INSERT INTO children (host, pid, started_at, session, label) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (host, pid) DO UPDATE SET started_at = excluded.started_at, session = excluded.session, label = excluded.label
  `,
);

export async function recordChild(
  { sql, host, register }: PostgresContext,
  child: ChildRecord,
): Promise<void> {
  await register();
  const { pid, startedAt, session, label } = child;
  await sql.query(RECORD_CHILD, [host.id, pid, startedAt, storedText(session), storedText(label)]);
}

const FORGET_CHILD = statement("forget_child", "DELETE FROM children WHERE host = $1 AND pid = $2");

export async function forgetChild(
  { sql, host }: PostgresContext,
  { pid }: StoreInput<"forgetChild">,
): Promise<void> {
  await sql.query(FORGET_CHILD, [host.id, pid]);
}

const END = statement(
  "end_host",
  `
  WITH holding AS (
    SELECT EXISTS (SELECT 1 FROM sessions WHERE host = $1) OR EXISTS (SELECT 1 FROM children WHERE host = $1)
      OR EXISTS (SELECT 1 FROM commands WHERE taken = $1 AND ok IS NULL)
      OR EXISTS (SELECT 1 FROM records WHERE claim = $1) AS holds
  ), ended AS (
    UPDATE hosts SET ended = true WHERE id = $1 AND (SELECT holds FROM holding)
  ), gone AS (
    DELETE FROM hosts WHERE id = $1 AND NOT (SELECT holds FROM holding)
  )
  DELETE FROM blob_claims WHERE host = $1
  `,
);

/** Ends this host: others may take over at once what it still holds. */
export async function endHost({ sql, host }: PostgresContext): Promise<void> {
  await sql.transaction(async (within) => {
    await within.query(LOCK_HOST, [host.id]);
    await within.query(END, [host.id]);
  });
}

const TAKE_OVER = statement(
  "take_over",
  `
  WITH owner AS MATERIALIZED (
    -- Its next beat waits until this is decided.
    SELECT beat FROM hosts WHERE id = $3 FOR UPDATE
  ), taker AS MATERIALIZED (
    SELECT id FROM hosts WHERE id = $1 AND NOT ended FOR KEY SHARE
  ), found AS MATERIALIZED (
    SELECT s.key, s.reserved FROM sessions s
    WHERE s.id = $2 AND s.host = $3 AND coalesce((SELECT beat FROM owner), 0) = $4
      AND EXISTS (SELECT 1 FROM taker)
    FOR UPDATE OF s
  ), taken AS MATERIALIZED (
    SELECT key, reserved, nextval('fences') AS fence FROM found
  ), noted AS (
    UPDATE sessions s SET host = $1, fence = t.fence FROM taken t WHERE s.key = t.key
  ), kept AS (
    UPDATE pieces p SET fence = t.fence FROM taken t WHERE p.session = t.key
  ), given_back AS (
    -- The dead host did not carry out the commands that it took and never answered.
    UPDATE commands c SET taken = NULL FROM taken t WHERE c.session = t.key AND c.taken = $3 AND c.ok IS NULL
  )
  SELECT key, fence, reserved FROM taken
  `,
);

/** Takes the lease of a dead host, unless the lease has moved or the host has shown life since. */
export async function takeOver(
  { sql, host, held, register, announce, lookForCommands }: PostgresContext,
  { session, from, beat }: StoreInput<"takeOver">,
): Promise<{ readonly fence: number; readonly reserved: number } | undefined> {
  await register();
  const [row] = await sql.query(TAKE_OVER, [host.id, storedText(session), from, beat]);
  if (row === undefined) return undefined;
  const lease = { fence: integer(row, "fence"), reserved: integer(row, "reserved") };
  held.set(session, { key: integer(row, "key"), ...lease, pieces: [] });
  announce({ moved: session });
  lookForCommands();
  return lease;
}

const HELD = statement("held_lease", "SELECT key, fence, reserved FROM sessions WHERE id = $1 AND host = $2");

/** The lease of a session that this host took, when the answer to that was lost. */
export async function takenLease(
  { sql, host, held }: PostgresContext,
  { session }: StoreInput<"takeOver">,
): Promise<{ readonly fence: number; readonly reserved: number } | undefined> {
  const [row] = await sql.query(HELD, [storedText(session), host.id]);
  if (row === undefined || held.has(session)) return undefined;
  const lease = { fence: integer(row, "fence"), reserved: integer(row, "reserved") };
  held.set(session, { key: integer(row, "key"), ...lease, pieces: [] });
  return lease;
}

const SERVER = statement(
  "server",
  "SELECT current_setting('server_version_num')::int AS version, version() AS name",
);

/** The server's version, as 140005 for 14.5. */
export async function serverVersion({ sql }: Pick<PostgresContext, "sql">) {
  const [row = {}] = await sql.query(SERVER);
  return defined({ number: integer(row, "version"), name: text(row, "name") });
}
