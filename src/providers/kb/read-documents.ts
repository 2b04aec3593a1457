import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import { integer, nullableInteger, nullableText, type ResultRow, text } from "../store/sqlite/columns.ts";
import type { Database } from "../store/sqlite/database.ts";
import type {
  DocumentState,
  KbCollection,
  KbDocument,
  KbOutline,
  KbPassage,
  KnownDocument,
} from "./documents.ts";

/** A wish to read on in a document. */
export interface PassageWish {
  readonly id: string;
  /** The first piece, from 1. */
  readonly from: number;
  readonly characters: number;
  readonly collections?: readonly string[];
}

const DOCUMENT = `SELECT d.*, c.name AS collection_name FROM documents d JOIN collections c ON c.id = d.collection`;
/** Headings of one document that are listed. */
const LONGEST_OUTLINE = 2000;

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
    .map((row) => ({ ...stateOf(row), ...defined({ stamp: nullableText(row, "stamp") }) }));

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

const notThere = (id: string): HostError =>
  new HostError(
    "not_found",
    `There is no document ${visibleInLine(id)}. Search again: it may have been removed.`,
  );

const stateOf = (row: ResultRow): Pick<KbDocument, "id" | "origin" | "state"> => ({
  id: text(row, "id"),
  origin: text(row, "origin"),
  // Only the library writes states.
  state: text(row, "state") as DocumentState,
});

function documentOf(row: ResultRow): KbDocument {
  const some = {
    note: nullableText(row, "note"),
    problem: nullableText(row, "problem"),
    readAt: nullableInteger(row, "read_at"),
    triedAt: nullableInteger(row, "tried_at"),
    source: nullableText(row, "source"),
  };
  return {
    ...stateOf(row),
    collection: text(row, "collection_name"),
    name: text(row, "name"),
    title: text(row, "title"),
    bytes: integer(row, "bytes"),
    characters: integer(row, "characters"),
    pieces: integer(row, "pieces"),
    addedAt: integer(row, "added_at"),
    ...defined(some),
  };
}
