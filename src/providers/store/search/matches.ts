import type { SessionFilter } from "../../../core/index.ts";
import { integer, nullableInteger, nullableText } from "../sqlite/columns.ts";
import type { Database } from "../sqlite/database.ts";
import { filterOf } from "../sqlite/sessions.ts";
import type { SearchIndex } from "./search-index.ts";
import type { Term } from "./terms.ts";

/** A document that has all words of a search. */
export interface Match {
  readonly doc: number;
  readonly session: number;
  readonly seq: number;
  readonly kind: number;
  /** The session's title, of a match in one. */
  readonly title: string | undefined;
  /** Something of the session's log is not in the index yet. */
  readonly lags: boolean;
}

/** The matches among some documents, newest first. */
export interface Window {
  readonly matches: readonly Match[];
  /** All matching documents from here on were found. */
  readonly from: number;
  readonly isLast: boolean;
}

/** Matches among which the best are sought: more is not read, and older ones are the next window. */
const MOST = 300;
/** Documents' numbers in a day: the stretch that is looked through first. */
const DAY = 24 * 60 * 60 * 16;
/** A stretch that took less long is followed by a longer one, and one that took longer by a shorter one. */
const QUICK_MS = 1;
const SHORT_MS = 4;
const LONG_MS = 12;

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

/** The search for matches of one question among the sessions that may be shown. */
export class MatchFinder {
  readonly #database: Database;
  readonly #question: string;
  readonly #sql: string;
  readonly #values: readonly (string | number)[];

  constructor({ database, log }: SearchIndex, question: string, filter: SessionFilter) {
    const { where, values } = filterOf(filter);
    this.#database = database;
    this.#question = question;
    this.#values = values;
    // In this order and no other: the index gives the newest first, and the rest is looked up for each.
    this.#sql = `FROM search_texts
         CROSS JOIN search_places p ON p.doc = search_texts.rowid
         CROSS JOIN ${log.schema}.sessions s ON s.key = p.session
         LEFT JOIN search_marks m ON m.session = p.session
       WHERE search_texts MATCH ? AND search_texts.rowid >= ? AND search_texts.rowid < ?
         AND s.id IS NOT NULL AND ${where.join(" AND ")}`;
  }

  /** The newest matches before a document, as many as are looked at, or fewer when it takes too long. */
  before(doc: number, isOver: () => boolean): Window {
    const oldest = this.#database.one("SELECT min(doc) AS doc FROM search_places");
    const end = nullableInteger(oldest ?? {}, "doc") ?? doc;
    const matches: Match[] = [];
    let from = doc;
    for (let span = DAY; from > end;) {
      const to = from;
      const began = performance.now();
      const found = this.#between(Math.max(to - span, 0), to, MOST - matches.length);
      matches.push(...found);
      from = Math.max(to - span, 0);
      const last = found.at(-1);
      if (matches.length >= MOST && last !== undefined) {
        from = last.doc;
        break;
      }
      if (isOver()) break;
      const took = performance.now() - began;
      span *= took < QUICK_MS ? 8 : took < SHORT_MS ? 2 : took > LONG_MS ? 0.25 : 1;
      span = Math.ceil(span);
    }
    return { matches, from, isLast: from <= end };
  }

  /** The sessions that have a match among some documents. */
  sessionsBetween(from: number, to: number): ReadonlySet<number> {
    const rows = this.#database.all(
      `SELECT DISTINCT p.session ${this.#sql}`,
      this.#question,
      from,
      to,
      ...this.#values,
    );
    return new Set(rows.map((row) => integer(row, "session")));
  }

  #between(from: number, to: number, limit: number): readonly Match[] {
    const rows = this.#database.all(
      `SELECT p.doc, p.session, p.seq, p.kind, CASE WHEN p.kind = 0 THEN s.title END AS title, m.seq IS NOT s.seq AS lags
       ${this.#sql} ORDER BY search_texts.rowid DESC LIMIT ?`,
      this.#question,
      from,
      to,
      ...this.#values,
      limit,
    );
    return rows.map((row) => ({
      doc: integer(row, "doc"),
      session: integer(row, "session"),
      seq: integer(row, "seq"),
      kind: integer(row, "kind"),
      title: nullableText(row, "title"),
      lags: integer(row, "lags") === 1,
    }));
  }
}
