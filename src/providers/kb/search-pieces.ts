import { integer, text } from "../store/sqlite/columns.ts";
import type { Database } from "../store/sqlite/database.ts";
import type { KbHit, KbQuery } from "./documents.ts";
import { MOST_RANKED, wordQuestions, wordsOfSearch } from "./searched-words.ts";

/** How much a word in a heading counts against one in the text. */
const WEIGHTS = "3.0, 1.0";

/**
 * Finds the pieces that answer a question best. They need not have all of its words: the rarer a word, the more it counts,
 * and the most common ones count only when there are no others.
 *
 * @throws HostError `invalid_params` when there is no word in it
 */
export function searchPieces(database: Database, query: KbQuery): readonly KbHit[] {
  const words = wordsOfSearch(query.words).map((word) => ({ word, count: countOf(database, word) }));
  for (const question of wordQuestions(words)) {
    const match = question.words.map(({ word }) => `"${word}"`).join(question.all ? " AND " : " OR ");
    const found = ranked(database, match, query);
    if (found.length > 0) return found;
  }
  return [];
}

/** How many pieces have a word, counted no further than it matters. */
const countOf = (database: Database, word: string): number =>
  database.integer(
    "count",
    "SELECT count(*) AS count FROM (SELECT rowid FROM piece_words WHERE piece_words MATCH ? LIMIT ?)",
    `"${word}"`,
    MOST_RANKED + 1,
  );

function ranked(database: Database, match: string, { limit, collections }: KbQuery): readonly KbHit[] {
  const wanted = collections === undefined ? null : JSON.stringify(collections);
  const rows = database.all(
    `WITH best AS MATERIALIZED (
       SELECT id, rank FROM (
         SELECT rowid AS id, bm25(piece_words, ${WEIGHTS}) AS rank FROM piece_words
         WHERE piece_words MATCH ?1 AND (?2 IS NULL OR EXISTS (
           SELECT 1 FROM piece_places p WHERE p.id = piece_words.rowid AND p.collection IN (
             SELECT c.id FROM collections c WHERE c.name IN (SELECT value FROM json_each(?2)))))
         LIMIT ${MOST_RANKED}
       ) ORDER BY rank, id LIMIT ?3
     )
     SELECT best.rank, p.nth, p.heading, p.text, d.id, d.title, c.name AS collection
     FROM best JOIN pieces p ON p.id = best.id JOIN documents d ON d.id = p.document
     JOIN collections c ON c.id = d.collection ORDER BY best.rank, best.id`,
    match,
    wanted,
    limit,
  );
  return rows.map((row) => ({
    document: text(row, "id"),
    title: text(row, "title"),
    collection: text(row, "collection"),
    piece: integer(row, "nth"),
    heading: text(row, "heading"),
    text: text(row, "text"),
    score: -Number(row["rank"]),
  }));
}
