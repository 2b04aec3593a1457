import { HostError } from "../../shared/errors/host-error.ts";
import { wordsIn } from "../store/search/words.ts";
import { integer, text } from "../store/sqlite/columns.ts";
import type { Database } from "../store/sqlite/database.ts";
import type { KbHit, KbQuery } from "./documents.ts";

/** Pieces that one search ranks: to weigh all that have a common word takes too long, and they say little. */
const MOST_RANKED = 3000;
/** Common words that are weighed when there are no rare ones: each takes a walk through most of the index. */
const MOST_COMMON = 2;
const MOST_WORDS = 32;
const LONGEST_SEARCH = 2000;
/** How much a word in a heading counts against one in the text. */
const WEIGHTS = "3.0, 1.0";

/**
 * Finds the pieces that answer a question best. They need not have all of its words: the rarer a word, the more it counts,
 * and the most common ones count only when there are no others.
 *
 * @throws HostError `invalid_params` when there is no word in it
 */
export function searchPieces(database: Database, query: KbQuery): readonly KbHit[] {
  const words = new Set<string>();
  for (const { word } of wordsIn(query.words.slice(0, LONGEST_SEARCH))) {
    words.add(word);
    if (words.size === MOST_WORDS) break;
  }
  if (words.size === 0)
    throw new HostError("invalid_params", "There is no word to search for. Use a word, or some.");
  for (const match of matchesFor(database, [...words])) {
    const found = ranked(database, match, query);
    if (found.length > 0) return found;
  }
  return [];
}

/** Expressions to try until one finds something. */
function* matchesFor(database: Database, words: readonly string[]): Generator<string, void, undefined> {
  const counted = words
    .map((word) => ({ word: `"${word}"`, count: countOf(database, word) }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => one.count - other.count);
  let sum = 0;
  const rare = counted.filter(({ count }) => (sum += count) <= MOST_RANKED).map(({ word }) => word);
  if (rare.length > 0) yield rare.join(" OR ");
  const rest = counted.slice(rare.length, rare.length + MOST_COMMON).map(({ word }) => word);
  if (rest.length > 1) yield rest.join(" AND ");
  // Each alone: together they would be too many.
  yield* rest;
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
