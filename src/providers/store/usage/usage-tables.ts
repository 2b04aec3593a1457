import type { Database } from "../sqlite/database.ts";

/** Makes the tables of what was used: turns lie in the order of their times, as reports read them. */
export function makeUsageTables(database: Database): void {
  database.execute(`
    CREATE TABLE IF NOT EXISTS usage_sessions (
      session INTEGER PRIMARY KEY,
      surface TEXT NOT NULL,
      folder TEXT NOT NULL,
      -- the id of the session that a subagent's works for
      parent TEXT
    ) STRICT;

    -- A row for each model of a turn; the first one counts the turn itself.
    CREATE TABLE IF NOT EXISTS usage_turns (
      at INTEGER NOT NULL,
      session INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      model TEXT NOT NULL,
      person TEXT NOT NULL,
      -- the name of the persona that answered; empty for none
      persona TEXT NOT NULL,
      turns INTEGER NOT NULL,
      calls INTEGER NOT NULL DEFAULT 0,
      input INTEGER NOT NULL DEFAULT 0,
      output INTEGER NOT NULL DEFAULT 0,
      reasoning INTEGER NOT NULL DEFAULT 0,
      cache_read INTEGER NOT NULL DEFAULT 0,
      cost REAL NOT NULL DEFAULT 0,
      unpriced INTEGER NOT NULL DEFAULT 0,
      -- milliseconds that it waited for people, and that an answer took beside those
      waited INTEGER NOT NULL DEFAULT 0,
      took INTEGER,
      ended INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (at, session, seq, model)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS usage_turns_by_session ON usage_turns (session, seq);

    CREATE INDEX IF NOT EXISTS usage_turns_by_person ON usage_turns (person, at);

    -- What people used in sessions that they deleted: nobody gets a new budget that way.
    CREATE TABLE IF NOT EXISTS usage_deleted (
      person TEXT NOT NULL,
      at INTEGER NOT NULL,
      calls INTEGER NOT NULL,
      input INTEGER NOT NULL,
      output INTEGER NOT NULL,
      cache_read INTEGER NOT NULL,
      cost REAL NOT NULL,
      PRIMARY KEY (person, at)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS usage_questions (
      at INTEGER NOT NULL,
      session INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      request TEXT NOT NULL,
      took INTEGER,
      PRIMARY KEY (at, session, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS usage_questions_by_session ON usage_questions (session, request);
  `);
}
