import { integer, storedText, text } from "../../store/postgres/columns.ts";
import type { Sql } from "../../store/postgres/connections.ts";
import { type Statement, statement } from "../../store/postgres/statement.ts";
import type { KbHit, KbQuery } from "../documents.ts";
import { type WordQuestion, wordQuestions, wordsOfSearch } from "../searched-words.ts";

/** BM25: how soon a word that comes again counts no more, and how much the length of a piece does. */
const K1 = 1.2;
const B = 0.75;
/** How much a word in a heading counts against one in the text: PostgreSQL's weights of D, C, B and A. */
const WEIGHTS = "{0.333333, 0.333333, 0.333333, 1.0}";
/** Pieces that are ranked of those that have common words only: to weigh each costs most of the time, and they say little. */
const MOST_COMMON = 1000;
/** The rank that PostgreSQL gives to a word that stands once in a text of this weight. */
const ONCE = 0.333333 / 1.644_934_066_85;

const COUNTS = statement("kb_counts", "SELECT word, pieces FROM kb_words WHERE word = ANY ($1::text[])");
const SIZE = statement(
  "kb_size",
  "SELECT coalesce(sum(pieces), 0)::bigint AS pieces, coalesce(sum(words), 0)::bigint AS words FROM kb_documents",
);

const OF_COLLECTIONS = `($4::text[] IS NULL OR collection IN (SELECT id FROM kb_collections WHERE name = ANY ($4::text[])))`;

/** @param each - pieces with the rank of a word in them: `id`, `length`, `weight`, `rank` */
const best = (each: string): string =>
  `WITH asked AS (SELECT * FROM unnest($1::text[], $2::float8[]) AS asked (word, weight)
   ), best AS MATERIALIZED (
     SELECT id, sum(weight * rank * ${K1 + 1} / (rank + ${K1} * (${1 - B} + ${B} * length / $3::float8))) AS score
     FROM (${each}) each_word GROUP BY id ORDER BY score DESC, id LIMIT $5
   )
   SELECT best.score, p.nth, p.heading, p.text, d.id, d.title, c.name AS collection
   FROM best JOIN kb_pieces p ON p.id = best.id JOIN kb_documents d ON d.id = p.document
     JOIN kb_collections c ON c.id = d.collection ORDER BY best.score DESC, best.id`;

const RANK = (word: string): string => `ts_rank('${WEIGHTS}', words, ${word}::tsquery) / ${ONCE} AS rank`;

const ANY = statement(
  "kb_search_any",
  best(`SELECT found.* FROM asked CROSS JOIN LATERAL (
    SELECT id, length, asked.weight, ${RANK("asked.word")} FROM kb_piece_words
    WHERE words @@ asked.word::tsquery AND ${OF_COLLECTIONS}) found`),
);
const ALL = statement(
  "kb_search_all",
  best(`SELECT id, length, asked.weight, ${RANK("asked.word")} FROM asked CROSS JOIN (
    SELECT id, length, words FROM kb_piece_words WHERE words @@ $6::tsquery AND ${OF_COLLECTIONS} LIMIT ${MOST_COMMON}) found`),
);

const STILL_THERE = statement("kb_still_there", "SELECT id FROM kb_documents WHERE id = ANY ($1::text[])");

/**
 * Finds the pieces that answer a question best, as `searchPieces` does; none of a document that was removed meanwhile.
 *
 * @throws HostError `invalid_params` when there is no word in it
 */
export async function findPieces(sql: Sql, query: KbQuery): Promise<readonly KbHit[]> {
  const words = wordsOfSearch(query.words);
  const [counts, [size]] = await Promise.all([sql.query(COUNTS, [words]), sql.query(SIZE)]);
  if (size === undefined) return [];
  const counted = counts.map((row) => ({ word: text(row, "word"), count: integer(row, "pieces") }));
  const [pieces, length] = [integer(size, "pieces"), integer(size, "words")];
  for (const question of wordQuestions(counted)) {
    const found = await ranked(sql, { ...query, pieces, length }, question);
    if (found.length > 0) return stillThere(sql, found);
  }
  return [];
}

async function ranked(
  sql: Sql,
  query: KbQuery & { readonly pieces: number; readonly length: number },
  { words, all }: WordQuestion,
): Promise<readonly KbHit[]> {
  const { limit, collections, pieces, length } = query;
  const asked = words.map(({ word }) => `'${word}'`);
  const weights = words.map(({ count }) => Math.log(1 + (pieces - count + 0.5) / (count + 0.5)));
  const usual = Math.max(1, length / Math.max(1, pieces));
  const values = [asked, weights, usual, collections?.map(storedText) ?? null, limit];
  const [way, more]: readonly [Statement, readonly string[]] = all ? [ALL, [asked.join(" & ")]] : [ANY, []];
  const rows = await sql.query(way, [...values, ...more]);
  return rows.map((row) => ({
    document: text(row, "id"),
    title: text(row, "title"),
    collection: text(row, "collection"),
    piece: integer(row, "nth"),
    heading: text(row, "heading"),
    text: text(row, "text"),
    score: Number(row["score"]),
  }));
}

async function stillThere(sql: Sql, found: readonly KbHit[]): Promise<readonly KbHit[]> {
  const rows = await sql.query(STILL_THERE, [found.map(({ document }) => document)]);
  const there = new Set(rows.map((row) => text(row, "id")));
  return found.filter(({ document }) => there.has(document));
}
