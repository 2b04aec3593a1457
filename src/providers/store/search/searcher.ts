import type {
  PersonUsage,
  PersonUsageQuery,
  Range,
  TextQuery,
  UsageQuery,
  UsageReport,
} from "../../../core/index.ts";
import { integer, nullableInteger, nullableText, text } from "../sqlite/columns.ts";
import { isDamage } from "../sqlite/failure.ts";
import { personUsage } from "../usage/person-usage.ts";
import { usageReport } from "../usage/usage-report.ts";
import {
  bestPlace,
  type RankedSession,
  rankSessions,
  type ReadMatch,
  saidAt,
  type SaidPlace,
} from "./ranked-sessions.ts";
import { decodePosition, encodePosition, type SearchPosition } from "./cursor.ts";
import { TITLE } from "./indexed-text.ts";
import { type DocumentMatch, MatchFinder, matchExpression, type Window } from "./matches.ts";
import { type TermWeights, weightOf } from "./ranking.ts";
import type { SearchIndex } from "./search-index.ts";
import type { RawHit, RawPage, SearchOperations } from "./search-messages.ts";
import { readTerms, type Term } from "./terms.ts";

/** Characters of matching texts that a search reads in all; what is left is ranked by its age alone. */
const MOST_READ = 1_500_000;
const PER_SECOND = 16;

/** The operations on an index. */
export class IndexSearcher implements SearchOperations {
  readonly #index: SearchIndex;

  constructor(index: SearchIndex) {
    this.#index = index;
  }

  catchUp({ ms }: { readonly ms: number }): boolean {
    return this.#index.catchUp(timer(ms));
  }

  search({ query, ms }: { readonly query: TextQuery; readonly ms: number }): RawPage {
    const terms = readTerms(query.words);
    const complete = this.#caughtUp(ms);
    const position = query.cursor === undefined ? this.#start() : decodePosition(query.cursor);
    return this.#index.database.read(() => {
      const finder = new MatchFinder(this.#index, matchExpression(terms, this.#index), query);
      const window = finder.before(position.before);
      const { newest, before } = position;
      const shownBefore = before < newest ? finder.sessionsBetween(before, newest) : new Set<number>();
      const matches = window.matches.filter((match) => !shownBefore.has(match.session));
      const candidates = this.#ranked(matches, terms);
      const page = candidates.slice(position.shown, position.shown + query.limit);
      const hits = page.flatMap((candidate) => this.#hit(candidate, terms) ?? []);
      const cursor = next(position, { window, of: candidates.length, limit: query.limit });
      return { hits, complete, ...(cursor !== undefined && { cursor }) };
    });
  }

  usage({ query, ms }: { readonly query: UsageQuery; readonly ms: number }): UsageReport {
    const complete = this.#caughtUp(ms);
    const { database, log } = this.#index;
    return database.read(() => ({ ...usageReport({ database, schema: log.schema }, query), complete }));
  }

  personUsage({
    query,
    ms,
  }: {
    readonly query: PersonUsageQuery;
    readonly ms: number;
  }): readonly PersonUsage[] {
    this.#caughtUp(ms);
    const { database } = this.#index;
    return database.read(() => personUsage(database, query));
  }

  /** A full disk or a locked file is no reason to find nothing. */
  #caughtUp(ms: number): boolean {
    try {
      return this.#index.catchUp(timer(ms));
    } catch (thrown) {
      if (isDamage(thrown)) throw thrown;
      return false;
    }
  }

  #start(): SearchPosition {
    const row = this.#index.database.one("SELECT max(doc) AS doc FROM search_places");
    const newest = (nullableInteger(row ?? {}, "doc") ?? 0) + 1;
    return { newest, before: newest, shown: 0 };
  }

  #ranked(
    matches: readonly DocumentMatch[],
    terms: readonly Term[],
  ): readonly RankedSession<DocumentMatch>[] {
    const newest = matches[0]?.doc ?? 0;
    const undone = new Map<number, readonly Range[]>();
    const read: ReadMatch<DocumentMatch>[] = [];
    let room = MOST_READ;
    for (const match of matches) {
      if (match.lags && this.#isUndone(match, undone)) continue;
      const said = room > 0 ? this.#said(match)?.text : "";
      if (said === undefined) continue;
      room -= said.length;
      read.push({ match, text: said });
    }
    return rankSessions(read, this.#weights(terms), ({ doc }) => (newest - doc) / PER_SECOND);
  }

  #weights(terms: readonly Term[]): TermWeights {
    const { documents, vocabulary } = this.#index;
    return terms.map((term) => {
      const levels = term.words.map((word) => vocabulary.level(word) ?? 0);
      return { term, weight: weightOf(Math.min(...levels), documents) };
    });
  }

  #isUndone({ session, seq, kind }: DocumentMatch, known: Map<number, readonly Range[]>): boolean {
    if (kind === TITLE) return false;
    let ranges = known.get(session);
    if (ranges === undefined) known.set(session, (ranges = this.#undone(session)));
    return ranges.some(({ from, to }) => seq > from && seq <= to);
  }

  /** What was taken back of a session, by its stored state: the index has not heard of all of it. */
  #undone(session: number): readonly Range[] {
    const { database, log } = this.#index;
    const sql = `SELECT json_extract(body, '$.undone') AS undone FROM ${log.schema}.states WHERE session = ?`;
    try {
      const undone = nullableText(database.one(sql, session) ?? { undone: null }, "undone");
      // This is what the state's fold made.
      return undone === undefined ? [] : (JSON.parse(undone) as readonly Range[]);
    } catch {
      // The state is damaged, and is made anew when the session is next looked at.
      return [];
    }
  }

  #hit(candidate: RankedSession<DocumentMatch>, terms: readonly Term[]): RawHit | undefined {
    const { database, log } = this.#index;
    const row = database.one(`SELECT id FROM ${log.schema}.sessions WHERE key = ?`, candidate.session);
    const id = nullableText(row ?? { id: null }, "id");
    const found = id === undefined ? undefined : bestPlace(candidate, terms, (match) => this.#said(match));
    return id === undefined || found === undefined ? undefined : { id, ...found };
  }

  /** What stands at a match; `undefined` when that cannot be read, or is the session's title no more. */
  #said(match: DocumentMatch): SaidPlace | undefined {
    const { database, log } = this.#index;
    try {
      const sql = `SELECT at, body FROM ${log.schema}.rows WHERE session = ? AND seq = ?`;
      const row = database.one(sql, match.session, match.seq);
      return row && saidAt(match, { at: integer(row, "at"), body: text(row, "body") });
    } catch (thrown) {
      if (isDamage(thrown)) return undefined;
      throw thrown;
    }
  }
}

function next(
  position: SearchPosition,
  { window, of, limit }: { readonly window: Window; readonly of: number; readonly limit: number },
): string | undefined {
  const shown = position.shown + limit;
  if (shown < of) return encodePosition({ ...position, shown });
  return window.isLast ? undefined : encodePosition({ ...position, before: window.from, shown: 0 });
}

function timer(ms: number): () => boolean {
  const until = performance.now() + ms;
  return () => performance.now() >= until;
}
