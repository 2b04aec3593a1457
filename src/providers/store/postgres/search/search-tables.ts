/**
 * The tables of what was said and used: a fold of the logs, as `search_marks` says how far. A step that changes what they
 * hold empties all but `usage_deleted`; the hosts fill them again.
 */
export const SEARCH_TABLES = `
  -- What one row of a log says. Its words are made by this program: case, accents and scripts without blanks are dealt with
  -- there. The text itself stays in the log.
  CREATE TABLE search_texts (
    at bigint NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    session bigint NOT NULL,
    seq bigint NOT NULL,
    kind smallint NOT NULL,
    -- not each of its words has all its places: whether a phrase stands there only the text tells
    long boolean NOT NULL,
    words tsvector NOT NULL,
    PRIMARY KEY (at, id)
  );
  CREATE INDEX search_texts_by_session ON search_texts (session, seq);
  -- A search reads what waits to be sorted in: that is kept short.
  CREATE INDEX search_texts_by_word ON search_texts USING gin (words) WITH (gin_pending_list_limit = 256);

  -- How far the log of each session is in these tables.
  CREATE TABLE search_marks (
    session bigint PRIMARY KEY,
    seq bigint NOT NULL
  ) WITH (fillfactor = 80);

  -- 2^level is about the number of texts with the word.
  CREATE TABLE search_words (
    word text COLLATE "C" PRIMARY KEY,
    level smallint NOT NULL
  );

  CREATE TABLE usage_sessions (
    session bigint PRIMARY KEY,
    surface text NOT NULL,
    folder text NOT NULL,
    -- the id of the session that a subagent's works for
    parent text
  );

  -- A row for each model of a turn; the first one counts the turn itself.
  CREATE TABLE usage_turns (
    at bigint NOT NULL,
    session bigint NOT NULL,
    seq bigint NOT NULL,
    model text NOT NULL,
    person text NOT NULL,
    -- the name of the persona that answered; empty for none
    persona text NOT NULL,
    turns integer NOT NULL,
    calls bigint NOT NULL,
    input bigint NOT NULL,
    output bigint NOT NULL,
    reasoning bigint NOT NULL,
    cache_read bigint NOT NULL,
    cost double precision NOT NULL,
    unpriced bigint NOT NULL,
    -- milliseconds that it waited for people, and that an answer took beside those
    waited bigint NOT NULL,
    took bigint,
    ended smallint NOT NULL,
    PRIMARY KEY (at, session, seq, model)
  );
  CREATE INDEX usage_turns_by_session ON usage_turns (session, seq);
  CREATE INDEX usage_turns_by_person ON usage_turns (person, at);

  -- What people used in sessions that they deleted: nobody gets a new budget that way.
  CREATE TABLE usage_deleted (
    person text NOT NULL,
    at bigint NOT NULL,
    calls bigint NOT NULL,
    input bigint NOT NULL,
    output bigint NOT NULL,
    cache_read bigint NOT NULL,
    cost double precision NOT NULL,
    PRIMARY KEY (person, at)
  );

  CREATE TABLE usage_questions (
    at bigint NOT NULL,
    session bigint NOT NULL,
    seq bigint NOT NULL,
    request text NOT NULL,
    took bigint,
    PRIMARY KEY (at, session, seq)
  );
  CREATE INDEX usage_questions_by_session ON usage_questions (session, seq);
`;
