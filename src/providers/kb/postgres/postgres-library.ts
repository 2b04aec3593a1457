import { integer, storedText, text } from "../../store/postgres/columns.ts";
import type { Connections, Sql } from "../../store/postgres/connections.ts";
import { statement } from "../../store/postgres/statement.ts";
import {
  type BegunReading,
  BROKEN_OFF,
  BROKEN_OFF_MS,
  type FailedReading,
  type FinishedReading,
  type NewDocument,
} from "../documents.ts";
import type { KbOperations } from "../messages.ts";
import {
  countAll,
  documentById,
  documentsOfSource,
  listedCollections,
  listedDocuments,
  sharedOutline,
  readPassage,
  someDocument,
} from "./document-lists.ts";
import { findPieces } from "./piece-search.ts";
import { addPieces, dropPieces, makePieces } from "./piece-tables.ts";

/** The lock of the host that changes documents: "docs" in ASCII. */
const DOCUMENTS_LOCK = 0x646f6373;
/** The database's time, in Unix milliseconds. */
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const LOCK = statement("kb_lock", `SELECT pg_advisory_xact_lock(${DOCUMENTS_LOCK})`);
const COLLECTION = statement(
  "kb_collection",
  `WITH made AS (INSERT INTO kb_collections (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id)
   SELECT id FROM made UNION ALL SELECT id FROM kb_collections WHERE name = $1`,
);
const BY_ORIGIN = statement(
  "kb_by_origin",
  "SELECT id, hash, state, reading FROM kb_documents WHERE collection = $1 AND origin = $2",
);
const ADD = statement(
  "kb_add",
  `INSERT INTO kb_documents (id, collection, name, origin, hash, bytes, state, title, characters, pieces, words, added_at,
     began_at, reading, source)
   VALUES ($1, $2, $3, $4, $5, $6, 'reading', $3, 0, 0, 0, ${NOW}, ${NOW}, 1, $7)`,
);
const SAME = statement(
  "kb_same",
  `UPDATE kb_documents SET name = $2, source = coalesce($3, source), began_at = ${NOW}, problem = NULL, tried_at = ${NOW},
     stamp = $4 WHERE id = $1`,
);
/** The hash is that of the text that can be searched, until there is another one. */
const AGAIN = statement(
  "kb_again",
  `UPDATE kb_documents SET name = $2, source = coalesce($3, source), began_at = ${NOW}, reading = reading + 1,
     hash = CASE state WHEN 'ready' THEN hash ELSE $4 END, bytes = CASE state WHEN 'ready' THEN bytes ELSE $5 END,
     state = CASE state WHEN 'ready' THEN state ELSE 'reading' END
   WHERE id = $1 RETURNING reading`,
);
const CURRENT = statement("kb_current", "SELECT collection FROM kb_documents WHERE id = $1 AND reading = $2");
const READY = statement(
  "kb_ready",
  `UPDATE kb_documents SET note = $2, characters = $3, pieces = $4, words = $5, problem = NULL, hash = $6, bytes = $7,
     state = 'ready', stamp = $8, read_at = ${NOW}, tried_at = ${NOW}, title = CASE $9 WHEN '' THEN title ELSE $9 END
   WHERE id = $1`,
);
const FAILED = statement(
  "kb_failed",
  `UPDATE kb_documents SET problem = $3, stamp = $4, tried_at = ${NOW},
     state = CASE state WHEN 'ready' THEN 'ready' ELSE 'failed' END
   WHERE id = $1 AND reading = $2 RETURNING id`,
);
const BREAK_OFF = statement(
  "kb_break_off",
  "DELETE FROM kb_documents WHERE id = $1 AND reading = $2 AND state = 'reading'",
);
const REMOVE = statement("kb_remove", "DELETE FROM kb_documents WHERE id = ANY ($1::text[]) RETURNING id");
const DROP_EMPTY = statement(
  "kb_drop_empty",
  "DELETE FROM kb_collections c WHERE NOT EXISTS (SELECT 1 FROM kb_documents d WHERE d.collection = c.id)",
);
const END_BROKEN_OFF = statement(
  "kb_end_broken_off",
  `UPDATE kb_documents SET state = 'failed', problem = $1
   WHERE state = 'reading' AND began_at < ${NOW} - ${BROKEN_OFF_MS}`,
);

/** The documents in a database that machines share: each call is one transaction. */
export class PostgresLibrary implements KbOperations {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  readonly known: KbOperations["known"] = (source) => documentsOfSource(this.#connections, source);
  readonly document: KbOperations["document"] = (id) => documentById(this.#connections, id);
  readonly outline: KbOperations["outline"] = (id) => sharedOutline(this.#connections, id);
  readonly collections: KbOperations["collections"] = () => listedCollections(this.#connections);
  readonly search: KbOperations["search"] = (query) => findPieces(this.#connections, query);
  readonly passage: KbOperations["passage"] = (wish) => readPassage(this.#connections, wish);
  readonly check: KbOperations["check"] = () => countAll(this.#connections);
  readonly hasDocuments: KbOperations["hasDocuments"] = () => someDocument(this.#connections);

  async documents(collection: string | undefined): ReturnType<KbOperations["documents"]> {
    await this.#connections.query(END_BROKEN_OFF, [BROKEN_OFF]);
    return await listedDocuments(this.#connections, collection);
  }

  begin(given: NewDocument, id: string): Promise<BegunReading> {
    return this.#change(async (sql) => {
      const { collection, name, origin, hash, bytes, stamp, source, again = false } = given;
      const [place = {}] = await sql.query(COLLECTION, [storedText(collection)]);
      const key = integer(place, "id");
      const [known] = await sql.query(BY_ORIGIN, [key, storedText(origin)]);
      const from = source === undefined ? null : storedText(source);
      if (known === undefined) {
        const row = [id, key, storedText(name), storedText(origin), hash, bytes, from];
        await sql.query(ADD, row);
        return { id, reading: 1, unchanged: false };
      }
      const found = text(known, "id");
      if (text(known, "state") === "ready" && text(known, "hash") === hash && !again) {
        await sql.query(SAME, [found, storedText(name), from, stamp ?? null]);
        return { id: found, reading: integer(known, "reading") + 1, unchanged: true };
      }
      const [begun = {}] = await sql.query(AGAIN, [found, storedText(name), from, hash, bytes]);
      return { id: found, reading: integer(begun, "reading"), unchanged: false };
    });
  }

  async finish(begun: BegunReading, { hash, bytes, stamp, read }: FinishedReading): Promise<boolean> {
    const pieces = await makePieces(read.pieces);
    const words = pieces.reduce((sum, { length }) => sum + length, 0);
    return await this.#change(async (sql) => {
      const { id, reading } = begun;
      const [current] = await sql.query(CURRENT, [id, reading]);
      if (current === undefined) return false;
      await dropPieces(sql, [id]);
      await addPieces(sql, { id, collection: integer(current, "collection") }, pieces);
      const { title, note, characters } = read;
      const said = note === undefined ? null : storedText(note);
      const found = [said, characters, pieces.length, words, hash, bytes, stamp ?? null, storedText(title)];
      await sql.query(READY, [id, ...found]);
      return true;
    });
  }

  fail({ id, reading }: BegunReading, { problem, stamp }: FailedReading): Promise<boolean> {
    return this.#change(async (sql) => {
      const rows = await sql.query(FAILED, [id, reading, storedText(problem), stamp ?? null]);
      return rows.length > 0;
    });
  }

  breakOff({ id, reading }: BegunReading): Promise<void> {
    return this.#change(async (sql) => {
      await sql.query(BREAK_OFF, [id, reading]);
      await sql.query(DROP_EMPTY);
    });
  }

  remove(ids: readonly string[]): Promise<readonly string[]> {
    return this.#change(async (sql) => {
      const wanted = ids.map(storedText);
      await dropPieces(sql, wanted);
      const removed = await sql.query(REMOVE, [wanted]);
      await sql.query(DROP_EMPTY);
      return removed.map((row) => text(row, "id"));
    });
  }

  /** One host at a time changes documents, so that the counts of words are right. */
  #change<T>(change: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#connections.transaction(async (sql) => {
      await sql.query(LOCK);
      return await change(sql);
    });
  }
}
