import { chmodSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { Database } from "../store/sqlite/database.ts";
import { retryWhileLocked } from "../store/sqlite/lock-retry.ts";
import { kbFolder } from "./mark.ts";

/** One step per version of the schema, in order; a step that was released never changes. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE collections (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE documents (
    id TEXT PRIMARY KEY,
    collection INTEGER NOT NULL REFERENCES collections,
    name TEXT NOT NULL,
    origin TEXT NOT NULL,
    hash TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    -- reading, ready, failed
    state TEXT NOT NULL,
    title TEXT NOT NULL,
    note TEXT,
    problem TEXT,
    characters INTEGER NOT NULL,
    pieces INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    -- When the reading under way began
    began_at INTEGER NOT NULL,
    -- Which reading it is: one that was overtaken saves nothing
    reading INTEGER NOT NULL,
    read_at INTEGER,
    UNIQUE (collection, origin)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE pieces (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document TEXT NOT NULL REFERENCES documents,
    nth INTEGER NOT NULL,
    heading TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;
  CREATE INDEX pieces_by_document ON pieces (document, nth);

  -- Apart from the texts, so that a search that looks at many reads few pages.
  CREATE TABLE piece_places (
    id INTEGER PRIMARY KEY,
    collection INTEGER NOT NULL
  ) STRICT;

  -- Its words are made by this program: case, accents and scripts without blanks are dealt with there.
  CREATE VIRTUAL TABLE piece_words USING fts5 (
    heading, body, content = '', contentless_delete = 1, tokenize = 'ascii'
  );
  `,
];

/** Opens the knowledge base of a home, which is made when it is not there yet. */
export function openKbDatabase(home: string): Database {
  const folder = kbFolder(home);
  makeFolder(folder);
  const file = join(folder, "kb.db");
  const database = new Database(file);
  try {
    retryWhileLocked(() => database.execute("PRAGMA journal_mode = WAL"));
    chmodSync(file, 0o600);
    database.execute(`
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -32000;
      PRAGMA journal_size_limit = 33554432;
    `);
    migrate(database);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function migrate(database: Database): void {
  database.write(true, () => {
    const version = database.integer("user_version", "PRAGMA user_version");
    if (version > MIGRATIONS.length)
      throw new Error(`${database.file} was written by a newer version of this program; update it`);
    for (const step of MIGRATIONS.slice(version)) database.execute(step);
    database.execute(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}
