import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import type { DocumentState, KbDocument } from "./documents.ts";

/** The readers of the columns of a database's rows. */
export interface DocumentColumns<Row> {
  readonly integer: (row: Row, column: string) => number;
  readonly nullableInteger: (row: Row, column: string) => number | undefined;
  readonly nullableText: (row: Row, column: string) => string | undefined;
  readonly text: (row: Row, column: string) => string;
}

/** Reads what a row says of a document that its source asks for, too. */
export const readPlace = <Row>(
  row: Row,
  { text }: Pick<DocumentColumns<Row>, "text">,
): Pick<KbDocument, "id" | "origin" | "state"> => ({
  id: text(row, "id"),
  origin: text(row, "origin"),
  // Only the library writes states.
  state: text(row, "state") as DocumentState,
});

/** Reads a row of the documents, with the name of its collection. */
export function documentRow<Row>(row: Row, columns: DocumentColumns<Row>): KbDocument {
  const { integer, nullableInteger, nullableText, text } = columns;
  const some = {
    note: nullableText(row, "note"),
    problem: nullableText(row, "problem"),
    readAt: nullableInteger(row, "read_at"),
    triedAt: nullableInteger(row, "tried_at"),
    source: nullableText(row, "source"),
  };
  return {
    ...readPlace(row, columns),
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

/** The error of a document that is not there, or that may not be seen. */
export const notThere = (id: string): HostError =>
  new HostError(
    "not_found",
    `There is no document ${visibleInLine(id)}. Search again: it may have been removed.`,
  );
