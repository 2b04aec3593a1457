import type { Database } from "../store/sqlite/database.ts";
import { openSideDatabase } from "../store/sqlite/side-database.ts";
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
    -- When it was last tried, whatever came of it
    tried_at INTEGER,
    -- The folder or address that it is read from again and again
    source TEXT,
    -- How that tells whether it has changed
    stamp TEXT,
    UNIQUE (collection, origin)
  ) STRICT, WITHOUT ROWID;

  CREATE INDEX documents_by_source ON documents (source);

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
export const openKbDatabase = (home: string): Database =>
  openSideDatabase({ folder: kbFolder(home), file: "kb.db", steps: MIGRATIONS, cacheKilobytes: 32_000 });
