import { HostError } from "../../../shared/errors/host-error.ts";
import { integer } from "./columns.ts";
import type { Connections, Sql } from "./connections.ts";
import { DOCUMENT_TABLES } from "./document-tables.ts";
import { SEARCH_TABLES } from "./search/search-tables.ts";
import { statement } from "./statement.ts";

/** One step per version of the schema, in order; a step that was released never changes. */
const MIGRATIONS: readonly string[] = [
  `
  -- A lease stands with its session, so that one lock decides about an append.
  CREATE TABLE sessions (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- NULL: removed; what is left of it is being deleted
    id text UNIQUE,
    n integer NOT NULL,
    seq bigint NOT NULL,
    -- NULL: nobody drives it
    host text,
    fence bigint NOT NULL DEFAULT 0,
    reserved bigint NOT NULL DEFAULT 0,
    active_at bigint NOT NULL,
    marks integer NOT NULL,
    platform text NOT NULL,
    source text NOT NULL,
    cwd text NOT NULL,
    title text NOT NULL,
    words text NOT NULL,
    waiting integer NOT NULL,
    doing text NOT NULL,
    "user" text NOT NULL,
    people text NOT NULL,
    -- the first row that was found unreadable
    damaged_at integer
  ) WITH (fillfactor = 80);
  CREATE INDEX sessions_shown ON sessions (active_at, key) WHERE marks = 0;
  CREATE INDEX sessions_newest ON sessions (active_at, key);
  CREATE INDEX sessions_by_platform ON sessions (platform, active_at);
  CREATE INDEX sessions_by_source ON sessions (source, active_at);
  CREATE INDEX sessions_by_title ON sessions (title) WHERE title <> '';
  CREATE INDEX sessions_doing ON sessions (doing, active_at) WHERE doing <> '';
  CREATE INDEX sessions_waiting ON sessions (active_at) WHERE waiting = 1;
  CREATE INDEX sessions_by_user ON sessions ("user", active_at) WHERE "user" <> '';
  CREATE INDEX sessions_by_host ON sessions (host) WHERE host IS NOT NULL;
  CREATE INDEX sessions_removed ON sessions (key) WHERE id IS NULL;

  -- Counts once for all sessions, so that a session that is removed and made again gets no old number.
  CREATE SEQUENCE fences;

  CREATE TABLE states (
    session bigint PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    version integer NOT NULL,
    body text NOT NULL,
    crc bigint NOT NULL
  ) WITH (fillfactor = 60);

  -- The checksum leaves the session out, so that a branch is one copy.
  CREATE TABLE rows (
    session bigint NOT NULL,
    seq bigint NOT NULL,
    n integer NOT NULL,
    at bigint NOT NULL,
    type text NOT NULL,
    mid boolean NOT NULL,
    body text NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (session, seq)
  );

  -- Under the fence of the lease that saved them: what a host saves that was taken over belongs to nobody.
  CREATE TABLE pieces (
    session bigint NOT NULL,
    fence bigint NOT NULL,
    "cursor" bigint NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (session, fence, "cursor")
  );

  CREATE TABLE hosts (
    id text PRIMARY KEY,
    machine_id text NOT NULL,
    boot_id text NOT NULL,
    pid_namespace text NOT NULL,
    pid integer NOT NULL,
    started_at text NOT NULL,
    beat bigint NOT NULL,
    -- the database's time
    beat_at timestamptz NOT NULL,
    ended boolean NOT NULL,
    -- that of the last beat
    epoch integer NOT NULL
  );

  CREATE TABLE children (
    host text NOT NULL REFERENCES hosts ON DELETE CASCADE ON UPDATE CASCADE,
    pid integer NOT NULL,
    started_at text NOT NULL,
    session text NOT NULL,
    label text NOT NULL,
    PRIMARY KEY (host, pid)
  );

  CREATE TABLE commands (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
    kind text NOT NULL,
    payload text NOT NULL,
    deadline bigint NOT NULL,
    -- the host that it was handed to, and the request with which
    taken text,
    request text,
    ok boolean,
    result text
  );
  CREATE INDEX commands_by_session ON commands (session);
  CREATE INDEX commands_taken ON commands (taken) WHERE taken IS NOT NULL AND ok IS NULL;

  CREATE TABLE blobs (
    hash text PRIMARY KEY,
    size bigint NOT NULL,
    chunks integer NOT NULL,
    put_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE blob_chunks (
    hash text NOT NULL REFERENCES blobs ON DELETE CASCADE,
    number integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (hash, number)
  );
  -- What is stored is compressed already, more often than not.
  ALTER TABLE blob_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
  CREATE TABLE blob_refs (
    hash text NOT NULL,
    session bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
    PRIMARY KEY (hash, session)
  );
  CREATE INDEX blob_refs_by_session ON blob_refs (session);
  CREATE TABLE blob_claims (
    hash text NOT NULL,
    host text NOT NULL,
    at bigint NOT NULL,
    -- how many times it was put and not yet named
    count integer NOT NULL,
    PRIMARY KEY (hash, host)
  );

  CREATE TABLE records (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space text NOT NULL,
    key text COLLATE "C" NOT NULL,
    parent text,
    value text NOT NULL,
    version bigint NOT NULL,
    due_at bigint,
    expires_at bigint,
    -- the host that works on it
    claim text,
    -- the one that wrote it last: when its answer is lost and it is made again, it finds that it was carried out
    request text NOT NULL DEFAULT '',
    crc bigint NOT NULL,
    UNIQUE (space, key)
  );
  CREATE INDEX records_by_parent ON records (space, parent, position) WHERE parent IS NOT NULL;
  CREATE INDEX records_by_space ON records (space, position);
  CREATE INDEX records_by_due ON records (space, due_at, position) WHERE due_at IS NOT NULL;
  CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX records_by_claim ON records (claim) WHERE claim IS NOT NULL;

  -- The rows of all sessions that others follow. A reader numbers them when it finds them: in the order in which they were
  -- given numbers by their writers, one could become visible behind a reader.
  CREATE TABLE feed (
    entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    position bigint UNIQUE,
    session bigint NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL
  );
  CREATE INDEX feed_new ON feed (entry) WHERE position IS NULL;
  CREATE SEQUENCE feed_positions;

  -- Raised when the database comes back from a crash, or on another machine: text that was not synced may be gone. The mark is
  -- not logged, so that both lose it; a restart in order keeps it.
  CREATE TABLE epoch (number integer NOT NULL);
  INSERT INTO epoch VALUES (1);
  CREATE UNLOGGED TABLE epoch_marks (number integer NOT NULL);
  INSERT INTO epoch_marks VALUES (1);
  `,
  SEARCH_TABLES,
  DOCUMENT_TABLES,
];

/** The version of the schema that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** The lock under which one machine at a time changes the schema: "agnt" in ASCII. */
const MIGRATION_LOCK = 0x61676e74;

const READ_VERSION = statement(
  "schema_version",
  "SELECT CASE WHEN to_regclass('schema_versions') IS NULL THEN 0 ELSE -1 END AS version",
);
const NEWEST = statement(
  "newest_version",
  "SELECT coalesce(max(version), 0) AS version FROM schema_versions",
);
const FOREIGN = statement(
  "foreign_tables",
  `SELECT count(*)::int AS count FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
   WHERE s.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relname = ANY ('{sessions,rows,states,records}')`,
);

/**
 * Brings a database to this version's schema. However many machines start at once, one of them does it.
 *
 * @throws HostError `store_unavailable` when a newer version wrote it, `store_corrupt` when another program did
 */
export async function migrate(connections: Connections): Promise<void> {
  if ((await versionOf(connections)) === SCHEMA_VERSION) return;
  await connections.transaction(async (sql) => {
    await sql.execute(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    // Read again: another machine may have been faster.
    const version = await versionOf(sql);
    if (version === 0) {
      const [row] = await sql.query(FOREIGN);
      if (row !== undefined && integer(row, "count") > 0) throw foreign();
      await sql.execute(
        "CREATE TABLE schema_versions (version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())",
      );
    }
    for (let next = version; next < SCHEMA_VERSION; next += 1) {
      await sql.execute(MIGRATIONS[next] ?? "");
      await sql.execute(`INSERT INTO schema_versions (version) VALUES (${next + 1})`);
    }
  });
}

/**
 * Gives the version of a database's schema; 0 for an empty one.
 *
 * @throws HostError `store_unavailable` when a newer version wrote it
 */
export async function versionOf(sql: Pick<Sql, "query">): Promise<number> {
  const [there] = await sql.query(READ_VERSION);
  if (there === undefined || integer(there, "version") === 0) return 0;
  const [row] = await sql.query(NEWEST);
  const version = row === undefined ? 0 : integer(row, "version");
  if (version <= SCHEMA_VERSION) return version;
  throw new HostError(
    "store_unavailable",
    `The database was written by a newer version (schema ${version}; this one knows ${SCHEMA_VERSION}). Nothing was changed: update this program.`,
  );
}

const foreign = (): HostError =>
  new HostError(
    "store_corrupt",
    "The database has tables of another program with the names of ours. Nothing was changed: name an empty database in store.url.",
  );
