import type { Database } from "../sqlite/database.ts";
import { makeUsageTables } from "../usage/usage-tables.ts";

/** Raised when the index changes in any way: each version has a file of its own, and makes it anew. */
export const INDEX_VERSION = 3;

/**
 * Makes the tables of an index.
 *
 * A document is what one row of a log says. Its number is its time, so that the newest matches are read first, however
 * late they came into the index; its words are not stored a second time: excerpts come from the log.
 */
export function makeIndexTables(database: Database): void {
  database.execute(`
    CREATE VIRTUAL TABLE IF NOT EXISTS search_texts USING fts5 (
      words, characters, content = '', contentless_delete = 1, tokenize = 'ascii'
    );
    CREATE TABLE IF NOT EXISTS search_places (
      doc INTEGER PRIMARY KEY,
      session INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      kind INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS search_places_by_session ON search_places (session, seq);

    -- How far the log of each session is in the index, and the checksum of the last row there.
    CREATE TABLE IF NOT EXISTS search_marks (
      session INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      seq INTEGER NOT NULL,
      crc INTEGER NOT NULL
    ) STRICT;

    -- 2^level is about the number of documents with the word.
    CREATE TABLE IF NOT EXISTS search_words (
      word TEXT PRIMARY KEY,
      level INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS search_deleted (id INTEGER PRIMARY KEY) STRICT;
  `);
  makeUsageTables(database);
  // Fewer merges, and shorter ones: a search may wait for one.
  database.execute("INSERT INTO search_texts (search_texts, rank) VALUES ('automerge', 8)");
}
