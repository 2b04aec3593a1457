import { defined } from "../../shared/json/defined.ts";
import { integer, nullableInteger, nullableText, type ResultRow, text } from "../store/sqlite/columns.ts";
import type { Database } from "../store/sqlite/database.ts";
import { notThere, documentRow, readPlace } from "./document-rows.ts";
import {
  LONGEST_OUTLINE,
  type KbCollection,
  type KbDocument,
  type KbOutline,
  type KbPassage,
  type KnownDocument,
  type PassageWish,
} from "./documents.ts";

const COLUMNS = { integer, nullableInteger, nullableText, text };
const documentOf = (row: ResultRow): KbDocument => documentRow(row, COLUMNS);

const DOCUMENT = `SELECT d.*, c.name AS collection_name FROM documents d JOIN collections c ON c.id = d.collection`;

/** The documents of a collection, or of all, by collection and name. */
export const listDocuments = (database: Database, collection: string | undefined): readonly KbDocument[] =>
  database
    .all(
      `${DOCUMENT} WHERE ? IS NULL OR c.name = ? ORDER BY c.name, d.name, d.id`,
      collection ?? null,
      collection ?? null,
    )
    .map(documentOf);

/** The documents of a source. */
export const knownDocuments = (database: Database, source: string): readonly KnownDocument[] =>
  database
    .all("SELECT id, origin, state, stamp FROM documents WHERE source = ?", source)
    .map((row) => ({ ...readPlace(row, COLUMNS), ...defined({ stamp: nullableText(row, "stamp") }) }));

/** @throws HostError `not_found` */
export function oneDocument(database: Database, id: string): KbDocument {
  const row = database.one(`${DOCUMENT} WHERE d.id = ?`, id);
  if (row === undefined) throw notThere(id);
  return documentOf(row);
}

/** A document with its headings. @throws HostError `not_found` */
export const headingsOf = (database: Database, id: string): KbOutline =>
  database.read(() => ({
    document: oneDocument(database, id),
    headings: database
      .all(
        `SELECT heading, min(nth) AS piece, count(*) AS pieces FROM pieces WHERE document = ?
         GROUP BY heading ORDER BY piece LIMIT ${LONGEST_OUTLINE}`,
        id,
      )
      .map((row) => ({
        heading: text(row, "heading"),
        piece: integer(row, "piece"),
        pieces: integer(row, "pieces"),
      })),
  }));

/** All collections, by name. */
export const listCollections = (database: Database): readonly KbCollection[] =>
  database
    .all(
      `SELECT c.name, count(d.id) AS documents, coalesce(sum(d.pieces), 0) AS pieces,
         coalesce(sum(d.state = 'failed'), 0) AS failed
       FROM collections c LEFT JOIN documents d ON d.collection = c.id GROUP BY c.id ORDER BY c.name`,
    )
    .map((row) => ({
      name: text(row, "name"),
      documents: integer(row, "documents"),
      pieces: integer(row, "pieces"),
      failed: integer(row, "failed"),
    }));

/** Some pieces from one on, as many as `characters` hold. @throws HostError `not_found` */
export const passageOf = (
  database: Database,
  { id, from, characters, collections }: PassageWish,
): KbPassage =>
  database.read(() => {
    const document = oneDocument(database, id);
    // One that may not be seen is answered as one that is not there.
    if (collections?.includes(document.collection) === false) throw notThere(id);
    const pieces: KbPassage["pieces"][number][] = [];
    let size = 0;
    const rows = database.each(
      "SELECT nth, heading, text FROM pieces WHERE document = ? AND nth >= ? ORDER BY nth",
      id,
      from,
    );
    for (const row of rows) {
      size += text(row, "text").length;
      if (size > characters && pieces.length > 0) break;
      pieces.push({
        piece: integer(row, "nth"),
        heading: text(row, "heading"),
        text: text(row, "text"),
      });
    }
    return { document, pieces };
  });
