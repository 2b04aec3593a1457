import {
  type DurableEvent,
  type FoundKind,
  type FoundPlace,
  type PersonUsage,
  type PersonUsageQuery,
  type Range,
  type TextQuery,
  saidWords,
  type UsageQuery,
  type UsageReport,
} from "../../../core/index.ts";
import { integer, nullableInteger, nullableText, text } from "../sqlite/columns.ts";
import { isDamage } from "../sqlite/failure.ts";
import { personUsage } from "../usage/person-usage.ts";
import { usageReport } from "../usage/usage-report.ts";
import { decodePosition, encodePosition, type SearchPosition } from "./cursor.ts";
import { excerptOf } from "./excerpt.ts";
import { type Match, MatchFinder, matchExpression, type Window } from "./matches.ts";
import { relevance, sessionScore, type TermWeights, weightOf } from "./ranking.ts";
import { FOUND_KINDS, type SearchIndex } from "./search-index.ts";
import type { RawHit, RawPage, SearchOperations } from "./search-messages.ts";
import { readTerms, type Term } from "./terms.ts";

/** Characters of matching texts that a search reads in all; what is left is ranked by its age alone. */
const MOST_READ = 1_500_000;
const PER_SECOND = 16;

/** A match whose text was read. */
interface Place {
  readonly match: Match;
  readonly score: number;
}

/** A session of a window, with its places, the best first. */
interface Candidate {
  readonly session: number;
  readonly places: readonly Place[];
  readonly score: number;
}

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

  #ranked(matches: readonly Match[], terms: readonly Term[]): readonly Candidate[] {
    const weights = this.#weights(terms);
    const newest = matches[0]?.doc ?? 0;
    const sessions = new Map<number, Place[]>();
    const undone = new Map<number, readonly Range[]>();
    let room = MOST_READ;
    for (const match of matches) {
      if (match.lags && this.#isUndone(match, undone)) continue;
      const said = room > 0 ? this.#said(match)?.text : "";
      if (said === undefined) continue;
      room -= said.length;
      const place = { match, score: relevance(said, match.kind, weights) };
      const places = sessions.get(match.session);
      if (places === undefined) sessions.set(match.session, [place]);
      else places.push(place);
    }
    const candidates = [...sessions].map(([session, places]): Candidate => {
      const age = (newest - (places[0]?.match.doc ?? newest)) / PER_SECOND;
      const best = places.toSorted((a, b) => b.score - a.score);
      return { session, places: best, score: sessionScore(best[0]?.score ?? 0, best.length, age) };
    });
    return candidates.sort((a, b) => b.score - a.score);
  }

  #weights(terms: readonly Term[]): TermWeights {
    const { documents, vocabulary } = this.#index;
    return terms.map((term) => {
      const levels = term.words.map((word) => vocabulary.level(word) ?? 0);
      return { term, weight: weightOf(Math.min(...levels), documents) };
    });
  }

  #isUndone({ session, seq, kind }: Match, known: Map<number, readonly Range[]>): boolean {
    if (kind === 0) return false;
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

  #hit({ session, places }: Candidate, terms: readonly Term[]): RawHit | undefined {
    const { database, log } = this.#index;
    const row = database.one(`SELECT id FROM ${log.schema}.sessions WHERE key = ?`, session);
    const id = nullableText(row ?? { id: null }, "id");
    if (id === undefined) return undefined;
    // A session's title is shown with it anyway: what stands in its conversation tells more.
    const of = (isTitle: boolean) => places.filter(({ match }) => (match.kind === 0) === isTitle);
    for (const { match } of [...of(false), ...of(true)]) {
      const said = this.#said(match);
      const excerpt = said && excerptOf(said.text, terms);
      if (said === undefined || excerpt === undefined) continue;
      const { text: _text, ...where } = said;
      return { id, places: places.length, place: { ...where, ...excerpt } };
    }
    return undefined;
  }

  /** What stands at a match; `undefined` when that cannot be read, or is the session's title no more. */
  #said({ session, seq, kind: number, title }: Match): Omit<FoundPlace, "marks"> | undefined {
    const { database, log } = this.#index;
    const kind: FoundKind = FOUND_KINDS[number] ?? "answer";
    try {
      const sql = `SELECT at, body FROM ${log.schema}.rows WHERE session = ? AND seq = ?`;
      const row = database.one(sql, session, seq);
      if (row === undefined) return undefined;
      // The row was read into the index: these are the bytes that `encodeRow` wrote.
      const event = JSON.parse(text(row, "body")) as DurableEvent;
      const words = saidWords(event).find((each) => each.kind === kind)?.text;
      if (words === undefined || (kind === "title" && words !== title)) return undefined;
      const turn = "turnId" in event ? { turnId: event.turnId } : {};
      return { kind, seq, at: integer(row, "at"), text: words, ...turn };
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
