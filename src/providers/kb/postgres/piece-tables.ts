import { setImmediate as nextTurn } from "node:timers/promises";
import { storedText } from "../../store/postgres/columns.ts";
import type { Sql } from "../../store/postgres/connections.ts";
import { statement } from "../../store/postgres/statement.ts";
import type { DocumentPiece } from "../documents.ts";
import { type IndexedPiece, indexedPiece } from "./piece-vector.ts";

/** Pieces that are sent at once. */
const A_STEP = 200;
/** Milliseconds for which making words keeps everything else of this process waiting. */
const BREATH_MS = 5;

/** Pieces with their words, ready to be written. */
export type MadePieces = readonly (DocumentPiece & IndexedPiece & { readonly nth: number })[];

/** Makes the words of pieces. */
export async function makePieces(pieces: readonly DocumentPiece[]): Promise<MadePieces> {
  const made: MadePieces[number][] = [];
  let breath = performance.now();
  for (const [at, piece] of pieces.entries()) {
    made.push({ ...piece, nth: at + 1, ...indexedPiece(piece) });
    if (performance.now() - breath < BREATH_MS) continue;
    await nextTurn();
    breath = performance.now();
  }
  return made;
}

const ADD = statement(
  "kb_add_pieces",
  `WITH given AS MATERIALIZED (
     SELECT * FROM json_to_recordset($3) AS given (nth integer, heading text, text text, length integer, words tsvector)
   ), made AS (
     INSERT INTO kb_pieces (document, nth, heading, text) SELECT $1, nth, heading, text FROM given RETURNING id, nth
   )
   INSERT INTO kb_piece_words (id, collection, length, words)
   SELECT made.id, $2, given.length, given.words FROM made JOIN given USING (nth)`,
);

const COUNT = statement(
  "kb_count_words",
  `INSERT INTO kb_words (word, pieces) SELECT * FROM unnest($1::text[], $2::integer[])
   ON CONFLICT (word) DO UPDATE SET pieces = kb_words.pieces + excluded.pieces`,
);

const UNCOUNT = statement(
  "kb_uncount_words",
  `WITH gone AS MATERIALIZED (
     SELECT word, count(*)::integer AS pieces FROM kb_pieces p JOIN kb_piece_words w ON w.id = p.id
       CROSS JOIN LATERAL unnest(tsvector_to_array(w.words)) AS each (word)
     WHERE p.document = ANY ($1::text[]) GROUP BY word
   ), ended AS (
     DELETE FROM kb_words USING gone WHERE kb_words.word = gone.word AND kb_words.pieces <= gone.pieces
   )
   UPDATE kb_words SET pieces = kb_words.pieces - gone.pieces FROM gone
   WHERE kb_words.word = gone.word AND kb_words.pieces > gone.pieces`,
);

const DROP = statement("kb_drop_pieces", "DELETE FROM kb_pieces WHERE document = ANY ($1::text[])");

/** Adds the pieces of a document, in a transaction that is the only one of its kind. */
export async function addPieces(
  sql: Sql,
  { id, collection }: { readonly id: string; readonly collection: number },
  pieces: MadePieces,
): Promise<void> {
  const counts = new Map<string, number>();
  for (const { different } of pieces)
    for (const word of different) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (let from = 0; from < pieces.length; from += A_STEP) {
    const some = pieces.slice(from, from + A_STEP).map(({ nth, heading, text, length, words }) => ({
      nth,
      heading: storedText(heading),
      text: storedText(text),
      length,
      words,
    }));
    await sql.query(ADD, [id, collection, JSON.stringify(some)]);
  }
  await sql.query(COUNT, [[...counts.keys()], [...counts.values()]]);
}

/** Removes the pieces of documents, in a transaction that is the only one of its kind. */
export async function dropPieces(sql: Sql, documents: readonly string[]): Promise<void> {
  await sql.query(UNCOUNT, [documents]);
  await sql.query(DROP, [documents]);
}
