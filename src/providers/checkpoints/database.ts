import { join } from "node:path";
import type { Database } from "../store/sqlite/database.ts";
import { openSideDatabase } from "../store/sqlite/side-database.ts";

const FOLDER = "checkpoints";
const FILE = "checkpoints.db";

/** One step per version of the schema, in order; a step that was released never changes. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE objects (
    hash TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    stored INTEGER NOT NULL,
    packed INTEGER NOT NULL,
    data BLOB NOT NULL
  ) STRICT;

  CREATE TABLE roots (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE,
    -- 1: all of it was looked at
    looked INTEGER NOT NULL
  ) STRICT;

  -- What stood in a root when it was last looked at.
  CREATE TABLE entries (
    root INTEGER NOT NULL REFERENCES roots ON DELETE CASCADE,
    path BLOB NOT NULL,
    sign BLOB NOT NULL,
    state TEXT NOT NULL,
    hash TEXT,
    PRIMARY KEY (root, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entries_by_hash ON entries (hash) WHERE hash IS NOT NULL;

  CREATE TABLE steps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL,
    turn TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    root INTEGER NOT NULL REFERENCES roots,
    -- edit, command, background, rewind
    kind TEXT NOT NULL,
    label TEXT NOT NULL,
    at INTEGER NOT NULL,
    ended INTEGER,
    -- the process at work on it; NULL when it is over
    owner TEXT,
    beat INTEGER NOT NULL,
    notes TEXT NOT NULL
  ) STRICT;
  CREATE INDEX steps_by_session ON steps (session, id);
  CREATE INDEX steps_open ON steps (root) WHERE owner IS NOT NULL;

  CREATE TABLE changes (
    step INTEGER NOT NULL REFERENCES steps ON DELETE CASCADE,
    path BLOB NOT NULL,
    pre TEXT NOT NULL,
    post TEXT,
    pre_hash TEXT,
    post_hash TEXT,
    -- somebody else may have made it
    shared INTEGER NOT NULL,
    -- the order of changes, when they began and when they were last seen
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (step, path)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX changes_by_until ON changes (until);
  CREATE INDEX changes_by_pre ON changes (pre_hash) WHERE pre_hash IS NOT NULL;
  CREATE INDEX changes_by_post ON changes (post_hash) WHERE post_hash IS NOT NULL;

  -- Turns whose steps were given up for room.
  CREATE TABLE dropped (
    session TEXT NOT NULL,
    turn TEXT NOT NULL,
    cursor INTEGER NOT NULL,
    PRIMARY KEY (session, turn)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE line_counts (
    pre TEXT NOT NULL,
    post TEXT NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    PRIMARY KEY (pre, post)
  ) STRICT, WITHOUT ROWID;
  `,
];

/** Opens the database of a home's checkpoints, which is made when it is not there yet. */
export const openCheckpointDatabase = (home: string): Database =>
  openSideDatabase({
    folder: join(home, FOLDER),
    file: FILE,
    steps: MIGRATIONS,
    cacheKilobytes: 8000,
    first: "PRAGMA auto_vacuum = INCREMENTAL",
  });
