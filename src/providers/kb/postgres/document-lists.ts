import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import { integer, nullableInteger, nullableText, storedText, text } from "../../store/postgres/columns.ts";
import type { Connections, Sql } from "../../store/postgres/connections.ts";
import { statement } from "../../store/postgres/statement.ts";
import { notThere, documentRow, readPlace } from "../document-rows.ts";
import {
  type KbCollection,
  type KbDocument,
  type KbOutline,
  type KbPassage,
  type KnownDocument,
  LONGEST_OUTLINE,
  type PassageWish,
} from "../documents.ts";

const COLUMNS = { integer, nullableInteger, nullableText, text };

const DOCUMENT =
  "SELECT d.*, c.name AS collection_name FROM kb_documents d JOIN kb_collections c ON c.id = d.collection";
const DOCUMENTS = statement(
  "kb_documents",
  `${DOCUMENT} WHERE $1::text IS NULL OR c.name = $1
   ORDER BY c.name COLLATE "C", d.name COLLATE "C", d.id COLLATE "C"`,
);
const ONE = statement("kb_document", `${DOCUMENT} WHERE d.id = $1`);
const KNOWN = statement("kb_known", "SELECT id, origin, state, stamp FROM kb_documents WHERE source = $1");
const HEADINGS = statement(
  "kb_headings",
  `SELECT heading, min(nth) AS piece, count(*) AS pieces FROM kb_pieces WHERE document = $1
   GROUP BY heading ORDER BY piece LIMIT ${LONGEST_OUTLINE}`,
);
const COLLECTIONS = statement(
  "kb_collections",
  `SELECT c.name, count(d.id) AS documents, coalesce(sum(d.pieces), 0)::bigint AS pieces,
     count(*) FILTER (WHERE d.state = 'failed') AS failed
   FROM kb_collections c LEFT JOIN kb_documents d ON d.collection = c.id GROUP BY c.id ORDER BY c.name COLLATE "C"`,
);
const PIECES = statement(
  "kb_pieces_from",
  `SELECT nth, heading, text FROM (
     SELECT nth, heading, text, sum(length(text)) OVER (ORDER BY nth) - length(text) AS before
     FROM kb_pieces WHERE document = $1 AND nth >= $2 AND nth < $2 + 1000
   ) piece WHERE before <= $3 ORDER BY nth`,
);
const SOME = statement("kb_some", "SELECT EXISTS (SELECT 1 FROM kb_documents WHERE pieces > 0) AS some");
const TOTALS = statement(
  "kb_totals",
  `SELECT (SELECT count(*) FROM kb_documents) AS documents, (SELECT count(*) FROM kb_pieces) AS pieces,
     (SELECT count(*) FROM kb_pieces p FULL JOIN kb_piece_words w ON w.id = p.id WHERE p.id IS NULL OR w.id IS NULL) AS lost,
     (SELECT coalesce(sum(pieces), 0) FROM kb_documents)::bigint AS expected`,
);

/** The documents of a collection, or of all, by collection and name. */
export async function listedDocuments(
  sql: Sql,
  collection: string | undefined,
): Promise<readonly KbDocument[]> {
  const rows = await sql.query(DOCUMENTS, [collection === undefined ? null : storedText(collection)]);
  return rows.map((row) => documentRow(row, COLUMNS));
}

/** The documents of a source. */
export async function documentsOfSource(sql: Sql, source: string): Promise<readonly KnownDocument[]> {
  const rows = await sql.query(KNOWN, [storedText(source)]);
  return rows.map((row) => ({
    ...readPlace(row, COLUMNS),
    ...defined({ stamp: nullableText(row, "stamp") }),
  }));
}

/** @throws HostError `not_found` */
export async function documentById(sql: Sql, id: string): Promise<KbDocument> {
  const [row] = await sql.query(ONE, [storedText(id)]);
  if (row === undefined) throw notThere(id);
  return documentRow(row, COLUMNS);
}

/** A document with its headings. @throws HostError `not_found` */
export const sharedOutline = (connections: Connections, id: string): Promise<KbOutline> =>
  connections.transaction(async (sql) => {
    await sql.execute(ONE_MOMENT);
    const document = await documentById(sql, id);
    const rows = await sql.query(HEADINGS, [id]);
    const headings = rows.map((row) => ({
      heading: text(row, "heading"),
      piece: integer(row, "piece"),
      pieces: integer(row, "pieces"),
    }));
    return { document, headings };
  });

/** All statements of a transaction see the same. */
const ONE_MOMENT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/** All collections, by name. */
export async function listedCollections(sql: Sql): Promise<readonly KbCollection[]> {
  return (await sql.query(COLLECTIONS)).map((row) => ({
    name: text(row, "name"),
    documents: integer(row, "documents"),
    pieces: integer(row, "pieces"),
    failed: integer(row, "failed"),
  }));
}

/** Some pieces from one on, as many as `characters` hold. @throws HostError `not_found` */
export const readPassage = (
  connections: Connections,
  { id, from, characters, collections }: PassageWish,
): Promise<KbPassage> =>
  connections.transaction(async (sql) => {
    await sql.execute(ONE_MOMENT);
    const document = await documentById(sql, id);
    // One that may not be seen is answered as one that is not there.
    if (collections?.includes(document.collection) === false) throw notThere(id);
    const pieces: KbPassage["pieces"][number][] = [];
    let size = 0;
    for (const row of await sql.query(PIECES, [id, from, characters])) {
      const said = text(row, "text");
      size += said.length;
      if (size > characters && pieces.length > 0) break;
      pieces.push({ piece: integer(row, "nth"), heading: text(row, "heading"), text: said });
    }
    return { document, pieces };
  });

/** Whether there is a document that can be searched. */
export const someDocument = async (sql: Sql): Promise<boolean> =>
  (await sql.query(SOME))[0]?.["some"] === true;

/** Counts what there is, and whether it fits together. @throws HostError `store_corrupt` */
export async function countAll(
  connections: Connections,
): Promise<{ readonly documents: number; readonly pieces: number }> {
  const [row = {}] = await connections.query(TOTALS);
  const [documents, pieces] = [integer(row, "documents"), integer(row, "pieces")];
  if (integer(row, "lost") === 0 && integer(row, "expected") === pieces) return { documents, pieces };
  throw new HostError(
    "store_corrupt",
    `The knowledge base in the database ${connections.where} is not whole: pieces of documents are missing. Read them again with \`agent kb again\`, or bring the database back from a backup.`,
  );
}
