import { integer, text } from "./columns.ts";
import { Connections } from "./connections.ts";
import type { Way } from "./pooler.ts";
import { SCHEMA_VERSION, versionOf } from "./schema.ts";
import { statement } from "./statement.ts";

/** The facts about a database that people who look after it need. */
export interface DatabaseFacts {
  /** Where it is, without name and password. */
  readonly where: string;
  /** As it names itself: `16.4`. */
  readonly version: string;
  /** 160004 for 16.4. */
  readonly number: number;
  /** The version of its schema, 0 while it is empty, and the one that this program writes. */
  readonly schema: number;
  readonly newestSchema: number;
  /** Milliseconds of a question and its answer, the median of several. */
  readonly latencyMs: number;
  /** Settings without which what was confirmed can be lost; as `SHOW` has them. */
  readonly settings: Readonly<Record<"synchronous_commit" | "fsync" | "full_page_writes", string>>;
  /** It only follows another server. */
  readonly isStandby: boolean;
  /** A pooler stands between. */
  readonly isPooled: boolean;
  /** The host hears the others: it has a connection of its own without a pooler. */
  readonly hears: boolean;
  /** Connections to the server, and the most that it takes. */
  readonly connections: { readonly open: number; readonly most: number };
}

const FACTS = statement(
  "facts",
  `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
     current_setting('synchronous_commit') AS synchronous_commit, current_setting('fsync') AS fsync,
     current_setting('full_page_writes') AS full_page_writes, pg_is_in_recovery() AS standby,
     (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS open,
     current_setting('max_connections')::int AS most`,
);
const PING = statement("ping", "SELECT 1");
const PINGS = 5;

/** Looks at a database, and changes nothing. @param listenUrl - the way around a pooler @throws HostError `store_unavailable`, also when a newer program wrote it */
export async function inspectDatabase(url: string, listenUrl?: string): Promise<DatabaseFacts> {
  const { isPooled: isListenerPooled } =
    listenUrl === undefined ? { isPooled: true } : await wayOf(listenUrl);
  const sql = new Connections({ url, most: 1, name: "agent (looks at the database)" });
  try {
    const { isPooled } = await sql.way();
    const [row = {}] = await sql.query(FACTS);
    const times: number[] = [];
    for (let count = 0; count < PINGS; count += 1) {
      const from = performance.now();
      await sql.query(PING);
      times.push(performance.now() - from);
    }
    return {
      where: sql.where,
      version: text(row, "version"),
      number: integer(row, "number"),
      schema: await versionOf(sql),
      newestSchema: SCHEMA_VERSION,
      latencyMs: times.toSorted((a, b) => a - b)[Math.floor(PINGS / 2)] ?? 0,
      settings: {
        synchronous_commit: text(row, "synchronous_commit"),
        fsync: text(row, "fsync"),
        full_page_writes: text(row, "full_page_writes"),
      },
      isStandby: row["standby"] === true,
      isPooled,
      hears: !isPooled || !isListenerPooled,
      connections: { open: integer(row, "open"), most: integer(row, "most") },
    };
  } finally {
    await sql.close();
  }
}

async function wayOf(url: string): Promise<Way> {
  const sql = new Connections({ url, most: 1, name: "agent (looks at the database)" });
  try {
    return await sql.way();
  } finally {
    await sql.close();
  }
}

/** What is wrong with a database, a sentence each; empty for a good one. */
export function databaseFaults({
  number,
  version,
  settings,
  isStandby,
  hears,
  connections,
}: DatabaseFacts): readonly string[] {
  const lost = "what was confirmed can be lost when the server loses its power";
  return [
    ...(number < 140_000 ? [`It is PostgreSQL ${version}; 14 or newer is needed.`] : []),
    ...(isStandby ? ["It is a standby, which takes no writes: name the primary in store.url."] : []),
    ...(hears
      ? []
      : [
          "It is reached through a pooler, which passes on no notices from host to host: they are looked for four times a second. Name the database itself in store.listen_url.",
        ]),
    ...(settings.fsync === "on" ? [] : [`fsync is ${settings.fsync}: ${lost}. Set it to on.`]),
    ...(settings.full_page_writes === "on"
      ? []
      : [`full_page_writes is ${settings.full_page_writes}: ${lost}, unless its disks write pages whole.`]),
    ...(settings.synchronous_commit === "off"
      ? [`synchronous_commit is off: ${lost}. Set it to on; what may be late is written so anyway.`]
      : []),
    ...(connections.open > connections.most * 0.9
      ? [
          `${connections.open} of ${connections.most} connections are open: raise max_connections, or put a pooler in transaction mode before it.`,
        ]
      : []),
  ];
}
