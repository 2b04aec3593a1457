import type { TextQuery } from "../../../../core/index.ts";
import type { Match } from "../../search/ranked-sessions.ts";
import { integer, nullableText, type ResultRow, text } from "../columns.ts";
import type { Sql } from "../connections.ts";
import { sessionFilter, paramsOf } from "../sessions.ts";
import type { TextPlace } from "./page-position.ts";
import type { TextQuestion } from "./text-vector.ts";

/** A text that has all words of a search. */
export interface TextMatch extends Match, TextPlace {
  /** The session's id. */
  readonly name: string;
  /** Whether a phrase stands in it only the text tells. */
  readonly long: boolean;
  /** Its row; absent when those before it were long enough. */
  readonly body?: string;
  /** What was taken back of its session, as JSON, when something of that is not in the index yet. */
  readonly undone?: string;
}

/** The matches among some texts, newest first. */
export interface TextWindow {
  readonly matches: readonly TextMatch[];
  /** All matching texts from here on were found; `undefined` when there are no older ones. */
  readonly from: TextPlace | undefined;
}

/** Matches among which the best are sought: more is not read, and older ones are the next window. */
const MOST = 300;
/** Matches that are looked at for those, whose sessions may not be shown: so many suffice mostly, and more are not looked at. */
const LOOKED_AT = [400, 3000];
/** Bytes of rows that a search reads in all; what is left is ranked by its age alone. */
const MOST_READ = 1_500_000;

/** The search for the matches of one question among the sessions that may be shown. */
export class TextFinder {
  readonly #sql: Sql;
  readonly #question: TextQuestion;
  readonly #query: TextQuery;

  constructor(sql: Sql, question: TextQuestion, query: TextQuery) {
    this.#sql = sql;
    this.#question = question;
    this.#query = query;
  }

  /** The newest matches before a text, as many as are looked at. */
  async before(place: TextPlace): Promise<TextWindow> {
    let window: TextWindow = { matches: [], from: undefined };
    for (const most of LOOKED_AT) {
      window = await this.#lookAt(most, place);
      if (window.from === undefined || window.matches.length === MOST) break;
    }
    return window;
  }

  async #lookAt(most: number, { at, id }: TextPlace): Promise<TextWindow> {
    const { asked, shown, values } = this.#conditions([at, id]);
    // Planned each time, for this question: a frequent word is best sought from the newest text on, a rare one by the index.
    const rows = await this.#sql.query(
      {
        name: "",
        text: `
          WITH found AS MATERIALIZED (
            SELECT at, id, session, seq, kind, long FROM search_texts
            WHERE ${asked} AND (at, id) < ($1, $2) ORDER BY at DESC, id DESC LIMIT ${most}
          ), shown AS MATERIALIZED (
            SELECT found.*, s.id AS name, CASE WHEN kind = 0 THEN s.title END AS title, m.seq IS DISTINCT FROM s.seq AS lags
            FROM found JOIN sessions s ON s.key = found.session LEFT JOIN search_marks m ON m.session = found.session
            WHERE ${shown} ORDER BY at DESC, found.id DESC LIMIT ${MOST}
          ), measured AS (
            SELECT shown.*, r.body, 
              sum(octet_length(r.body)) OVER (ORDER BY shown.at DESC, shown.id DESC) AS size
            FROM shown LEFT JOIN rows r ON r.session = shown.session AND r.seq = shown.seq
          )
          SELECT looked.count AS looked, looked.at AS oldest_at, looked.id AS oldest_id,
            measured.at, measured.id, measured.session, measured.seq, kind, long, name, title, lags,
            CASE WHEN size <= ${MOST_READ} THEN measured.body END AS body,
            CASE WHEN lags THEN (SELECT t.body FROM states t WHERE t.session = measured.session) END AS state
          FROM (SELECT (SELECT count(*) FROM found), at, id FROM found ORDER BY at, id LIMIT 1) AS looked (count, at, id)
            LEFT JOIN measured ON true
          ORDER BY measured.at DESC, measured.id DESC`,
      },
      values,
    );
    const [first] = rows;
    if (first === undefined) return { matches: [], from: undefined };
    const matches = rows.filter((row) => row["session"] !== null).map(matchOf);
    const oldest = { at: integer(first, "oldest_at"), id: integer(first, "oldest_id") };
    if (matches.length === MOST) return { matches, from: matches.at(-1) };
    return { matches, from: integer(first, "looked") < most ? undefined : oldest };
  }

  /** The sessions that have a match among some texts. */
  async sessionsBetween(from: TextPlace, to: TextPlace): Promise<ReadonlySet<number>> {
    const { asked, shown, values } = this.#conditions([from.at, from.id, to.at, to.id]);
    const stretch = "(at, search_texts.id) >= ($1, $2) AND (at, search_texts.id) < ($3, $4)";
    const rows = await this.#sql.query(
      {
        name: "",
        text: `SELECT DISTINCT session FROM search_texts JOIN sessions s ON s.key = session
               WHERE ${asked} AND ${stretch} AND ${shown}`,
      },
      values,
    );
    return new Set(rows.map((row) => integer(row, "session")));
  }

  /** The conditions on texts and on their sessions, behind the values that are there. */
  #conditions(given: readonly number[]): {
    readonly asked: string;
    readonly shown: string;
    readonly values: readonly unknown[];
  } {
    const { all, exact } = this.#question;
    const { platforms } = this.#query;
    const filter = sessionFilter(this.#query, given);
    const param = paramsOf(filter.values);
    const has = (question: string): string => `search_texts.words @@ ${param(question)}::tsquery`;
    const asked = has(all) + (exact === undefined ? "" : ` AND (long OR ${has(exact)})`);
    const shown = ["s.id IS NOT NULL", ...filter.where];
    if (platforms === undefined) return { asked, shown: shown.join(" AND "), values: filter.values };
    shown.push(`platform = ANY ($${filter.values.length + 1}::text[])`);
    return { asked, shown: shown.join(" AND "), values: [...filter.values, platforms] };
  }
}

function matchOf(row: ResultRow): TextMatch {
  const body = nullableText(row, "body");
  const undone = nullableText(row, "state");
  return {
    at: integer(row, "at"),
    id: integer(row, "id"),
    session: integer(row, "session"),
    name: text(row, "name"),
    seq: integer(row, "seq"),
    kind: integer(row, "kind"),
    title: nullableText(row, "title"),
    long: row["long"] === true,
    lags: row["lags"] === true,
    ...(body !== undefined && { body }),
    ...(undone !== undefined && { undone }),
  };
}
