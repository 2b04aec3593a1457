import { HostError } from "../../../shared/errors/host-error.ts";
import { corrupt } from "./failure.ts";
import type { Database } from "./database.ts";

/** The mark of our databases: "agnt" in ASCII. */
const APPLICATION_ID = 0x61676e74;

/** One step per version of the schema, in order; a step that was released never changes. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE sessions (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    -- NULL: removed; what is left of it is being deleted
    id TEXT UNIQUE,
    n INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    marks INTEGER NOT NULL,
    platform TEXT NOT NULL,
    source TEXT NOT NULL,
    cwd TEXT NOT NULL,
    title TEXT NOT NULL,
    words TEXT NOT NULL,
    -- the first row that was found unreadable
    damaged_at INTEGER
  ) STRICT;
  CREATE INDEX sessions_shown ON sessions (active_at) WHERE marks = 0;
  CREATE INDEX sessions_newest ON sessions (active_at);
  CREATE INDEX sessions_by_platform ON sessions (platform, active_at);
  CREATE INDEX sessions_by_source ON sessions (source, active_at);
  CREATE INDEX sessions_by_cwd ON sessions (cwd, active_at);
  CREATE INDEX sessions_by_title ON sessions (title) WHERE title <> '';

  CREATE TABLE states (
    session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    crc INTEGER NOT NULL
  ) STRICT;

  -- The checksum leaves the session out, so that a branch is one copy.
  CREATE TABLE rows (
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    mid INTEGER NOT NULL,
    body TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (session, seq)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE pieces (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    cursor INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (session, cursor)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE leases (
    session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    -- NULL: given back
    host TEXT,
    fence INTEGER NOT NULL,
    reserved INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX leases_by_host ON leases (host) WHERE host IS NOT NULL;

  CREATE TABLE hosts (
    id TEXT PRIMARY KEY,
    machine_id TEXT NOT NULL,
    boot_id TEXT NOT NULL,
    pid_namespace TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    beat INTEGER NOT NULL,
    ended INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE children (
    host TEXT NOT NULL REFERENCES hosts ON DELETE CASCADE,
    pid INTEGER NOT NULL,
    started_at TEXT NOT NULL,
    session TEXT NOT NULL,
    label TEXT NOT NULL,
    PRIMARY KEY (host, pid)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE commands (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    deadline INTEGER NOT NULL,
    -- the host that it was handed to
    taken TEXT,
    ok INTEGER,
    result TEXT
  ) STRICT;
  CREATE INDEX commands_by_session ON commands (session);

  CREATE TABLE blob_refs (
    hash TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    PRIMARY KEY (hash, session)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX blob_refs_by_session ON blob_refs (session);

  CREATE TABLE blob_claims (
    hash TEXT NOT NULL,
    host TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- how many times it was put and not yet named
    count INTEGER NOT NULL,
    PRIMARY KEY (hash, host)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE records (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    space TEXT NOT NULL,
    key TEXT NOT NULL,
    parent TEXT,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    due_at INTEGER,
    expires_at INTEGER,
    -- the host that works on it
    claim TEXT,
    crc INTEGER NOT NULL,
    UNIQUE (space, key)
  ) STRICT;
  CREATE INDEX records_by_parent ON records (space, parent, position) WHERE parent IS NOT NULL;
  CREATE INDEX records_by_due ON records (space, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX records_by_expiry ON records (space, expires_at) WHERE expires_at IS NOT NULL;
  CREATE INDEX records_by_claim ON records (claim) WHERE claim IS NOT NULL;
  `,
  `
  ALTER TABLE sessions ADD COLUMN waiting INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX sessions_waiting ON sessions (active_at) WHERE waiting = 1;
  `,
  // Nothing changes in the database. Streamed text lies beside it from here on, where an older program does not look.
  "",
  `
  ALTER TABLE sessions ADD COLUMN asking INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX sessions_asking ON sessions (active_at) WHERE asking = 1;
  `,
  `
  -- The rows of all sessions that others follow, in the order in which they were committed.
  CREATE TABLE feed (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  `,
  `
  DROP INDEX sessions_asking;
  ALTER TABLE sessions DROP COLUMN asking;
  -- working, asking or parked
  ALTER TABLE sessions ADD COLUMN doing TEXT NOT NULL DEFAULT '';
  ALTER TABLE sessions ADD COLUMN people TEXT NOT NULL DEFAULT '';
  UPDATE sessions SET doing = coalesce((
    SELECT CASE
      WHEN json_array_length(body, '$.questions') > 0 THEN 'asking'
      WHEN json_type(body, '$.turn') IS NOT NULL THEN 'working'
      WHEN json_type(body, '$.parked') IS NOT NULL THEN 'parked'
    END FROM states WHERE session = key AND json_valid(body)), '');
  CREATE INDEX sessions_doing ON sessions (doing, active_at) WHERE doing <> '';
  `,
  `
  ALTER TABLE sessions ADD COLUMN user TEXT NOT NULL DEFAULT '';
  CREATE INDEX sessions_by_user ON sessions (user, active_at) WHERE user <> '';
  `,
];

const SCHEMA_VERSION = MIGRATIONS.length;

/**
 * Brings a database to this version's schema. However many processes start at once, one of them does it.
 *
 * @throws HostError `store_unavailable` when a newer version wrote it, `store_corrupt` when another program did
 */
export function migrate(database: Database): void {
  // One snapshot: else a home that another process is just making looks like another program's.
  if (database.read(() => versionOf(database)) === SCHEMA_VERSION) return;
  database.write(true, () => {
    // Read again: another process may have been faster.
    for (let version = versionOf(database); version < SCHEMA_VERSION; version += 1) {
      database.execute(`${MIGRATIONS[version] ?? ""}; PRAGMA user_version = ${version + 1}`);
    }
    database.execute(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/**
 * Gives the version of a database's schema.
 *
 * @throws HostError `store_unavailable` when a newer version wrote it, `store_corrupt` when another program did
 */
export function versionOf(database: Database): number {
  const version = database.integer("user_version", "PRAGMA user_version");
  const application = database.integer("application_id", "PRAGMA application_id");
  const tables = database.integer("count", "SELECT count(*) AS count FROM sqlite_schema");
  if (application !== APPLICATION_ID && (application !== 0 || version !== 0 || tables > 0)) {
    throw corrupt(database.file, "belongs to another program");
  }
  if (version > SCHEMA_VERSION) {
    throw new HostError(
      "store_unavailable",
      `The store ${database.file} was written by a newer version (schema ${version}; this one knows ${SCHEMA_VERSION}). Update this program.`,
    );
  }
  return version;
}

/**
 * Makes sure that a database has this version's schema, without changing it.
 *
 * @throws HostError `store_unavailable` for another version, `store_corrupt` when another program wrote it
 */
export function requireNewest(database: Database): void {
  const version = versionOf(database);
  if (version === SCHEMA_VERSION) return;
  throw new HostError(
    "store_unavailable",
    `The store ${database.file} was written by an older version (schema ${version}; this one writes ${SCHEMA_VERSION}). \`agent doctor\` on its home brings it up to date.`,
  );
}
