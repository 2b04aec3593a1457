/** The tables of the knowledge base. */
export const DOCUMENT_TABLES = `
  CREATE TABLE kb_collections (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
  );

  CREATE TABLE kb_documents (
    id text PRIMARY KEY,
    collection bigint NOT NULL REFERENCES kb_collections,
    name text NOT NULL,
    origin text NOT NULL,
    hash text NOT NULL,
    bytes bigint NOT NULL,
    -- reading, ready, failed
    state text NOT NULL,
    title text NOT NULL,
    note text,
    problem text,
    characters bigint NOT NULL,
    pieces integer NOT NULL,
    -- of all its pieces
    words bigint NOT NULL,
    added_at bigint NOT NULL,
    -- when the reading under way began
    began_at bigint NOT NULL,
    -- which reading it is: one that was overtaken saves nothing
    reading integer NOT NULL,
    read_at bigint,
    -- when it was last tried, whatever came of it
    tried_at bigint,
    -- the folder or address that it is read from again and again
    source text,
    -- how that tells whether it has changed
    stamp text,
    UNIQUE (collection, origin)
  );
  CREATE INDEX kb_documents_by_source ON kb_documents (source) WHERE source IS NOT NULL;

  CREATE TABLE kb_pieces (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document text NOT NULL REFERENCES kb_documents,
    nth integer NOT NULL,
    heading text NOT NULL,
    text text NOT NULL,
    UNIQUE (document, nth)
  );

  -- Apart from the texts, and not packed, so that a search that weighs many reads little. Its words are made by this program;
  -- those of headings have the weight A.
  CREATE TABLE kb_piece_words (
    id bigint PRIMARY KEY REFERENCES kb_pieces ON DELETE CASCADE,
    collection bigint NOT NULL,
    length integer NOT NULL,
    words tsvector NOT NULL
  ) WITH (toast_tuple_target = 8160);
  CREATE INDEX kb_piece_words_by_word ON kb_piece_words USING gin (words) WITH (gin_pending_list_limit = 256);

  -- How many pieces have each word.
  CREATE TABLE kb_words (
    word text COLLATE "C" PRIMARY KEY,
    pieces integer NOT NULL
  );
`;
