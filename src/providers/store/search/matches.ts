import type { TextQuery } from "../../../core/index.ts";
import { integer, nullableText } from "../sqlite/columns.ts";
import type { Database } from "../sqlite/database.ts";
import { filterOf } from "../sqlite/sessions.ts";
import type { Match } from "./ranked-sessions.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Term } from "./terms.ts";

/** A document that has all words of a search. */
export interface DocumentMatch extends Match {
  readonly doc: number;
}

/** The matches among some documents, newest first. */
export interface Window {
  readonly matches: readonly DocumentMatch[];
  /** All matching documents from here on were found. */
  readonly from: number;
  readonly isLast: boolean;
}

/** Matches among which the best are sought: more is not read, and older ones are the next window. */
const MOST = 300;
/** Matches that are looked at for those, whose sessions may not be shown. */
const MOST_LOOKED_AT = 3000;

/** The index's question for some terms; `undefined` when no document can have them. */
export function matchExpression(terms: readonly Term[], { vocabulary }: SearchIndex): string {
  return terms
    .map(({ words, open }) => {
      const beginning = words.slice(0, -1);
      const last = words.at(-1) ?? "";
      const endings = open ? vocabulary.wordsFrom(last) : [last];
      // Words have letters and digits only: nothing in them means anything to the index.
      return `(${endings.map((ending) => `"${[...beginning, ending].join(" ")}"`).join(" OR ")})`;
    })
    .join(" AND ");
}

/** The documents that answer a question, newest first. */
const newest = (further = ""): string =>
  `SELECT rowid FROM search_texts WHERE search_texts MATCH ? AND rowid < ? ${further} ORDER BY rowid DESC`;

/** The search for matches of one question among the sessions that may be shown. */
export class MatchFinder {
  readonly #database: Database;
  readonly #question: string;
  readonly #places: string;
  readonly #values: readonly (string | number)[];

  constructor({ database, log }: SearchIndex, question: string, query: Omit<TextQuery, "words" | "limit">) {
    const { where, values } = filterOf(query);
    if (query.platforms !== undefined) {
      where.push(`platform IN (${query.platforms.map(() => "?").join(", ")})`);
      values.push(...query.platforms);
    }
    this.#database = database;
    this.#question = question;
    this.#values = values;
    // In this order and no other: the index gives the newest first, and the rest is looked up for each.
    this.#places = `CROSS JOIN search_places p ON p.doc = found.rowid
         CROSS JOIN ${log.schema}.sessions s ON s.key = p.session
         LEFT JOIN search_marks m ON m.session = p.session
       WHERE s.id IS NOT NULL AND ${where.join(" AND ")}`;
  }

  /** The newest matches before a document, as many as are looked at. */
  before(doc: number): Window {
    const rows = this.#database.all(
      `SELECT p.doc, p.session, p.seq, p.kind, CASE WHEN p.kind = 0 THEN s.title END AS title, m.seq IS NOT s.seq AS lags
       FROM (${newest()} LIMIT ${MOST_LOOKED_AT}) found ${this.#places} LIMIT ${MOST}`,
      this.#question,
      doc,
      ...this.#values,
    );
    const matches = rows.map((row) => ({
      doc: integer(row, "doc"),
      session: integer(row, "session"),
      seq: integer(row, "seq"),
      kind: integer(row, "kind"),
      title: nullableText(row, "title"),
      lags: integer(row, "lags") === 1,
    }));
    const last = matches.length < MOST ? this.#lastLookedAt(doc) : matches.at(-1)?.doc;
    return { matches, from: last ?? 0, isLast: last === undefined };
  }

  /** The sessions that have a match among some documents. */
  sessionsBetween(from: number, to: number): ReadonlySet<number> {
    const rows = this.#database.all(
      `SELECT DISTINCT p.session FROM (${newest("AND rowid >= ?")}) found ${this.#places}`,
      this.#question,
      to,
      from,
      ...this.#values,
    );
    return new Set(rows.map((row) => integer(row, "session")));
  }

  /** `undefined` when there are no older matches. */
  #lastLookedAt(doc: number): number | undefined {
    const row = this.#database.one(`${newest()} LIMIT 1 OFFSET ${MOST_LOOKED_AT - 1}`, this.#question, doc);
    return row && integer(row, "rowid");
  }
}
