import { setImmediate as nextTurn } from "node:timers/promises";
import type { Range, TextQuery } from "../../../../core/index.ts";
import {
  bestPlace,
  type RankedSession,
  rankSessions,
  type ReadMatch,
  saidAt,
  type SaidPlace,
} from "../../search/ranked-sessions.ts";
import { excerptOf } from "../../search/excerpt.ts";
import { TITLE } from "../../search/indexed-text.ts";
import { type TermWeights, weightOf } from "../../search/ranking.ts";
import type { RawHit, RawPage } from "../../search/search-messages.ts";
import { readTerms, type Term } from "../../search/terms.ts";
import { integer, text } from "../columns.ts";
import type { Sql } from "../connections.ts";
import { statement } from "../statement.ts";
import { TextFinder, type TextMatch, type TextWindow } from "./text-finder.ts";
import { decodePage, encodePage, type PagePosition } from "./page-position.ts";
import { textQuestion } from "./text-vector.ts";
import { endingsOf, levelsOf } from "./word-levels.ts";

/** Matches that are weighed before others of this process get a turn. */
const A_BREATH = 50;

const NEWEST = statement(
  "search_newest",
  "SELECT at, id FROM search_texts ORDER BY at DESC, id DESC LIMIT 1",
);

/** About: exact enough for weights, and known without counting. */
const TEXTS = statement(
  "search_count",
  `SELECT greatest(c.reltuples::bigint, (SELECT count(*) FROM (SELECT 1 FROM search_texts LIMIT 1000) few)) AS texts
   FROM pg_class c WHERE c.oid = 'search_texts'::regclass`,
);

const BODIES = statement(
  "search_bodies",
  `SELECT session, seq, body FROM rows JOIN unnest($1::bigint[], $2::bigint[]) AS wanted (session, seq) USING (session, seq)`,
);

/** Finds sessions by the index as it is. */
export async function searchTexts(sql: Sql, query: TextQuery): Promise<Omit<RawPage, "complete">> {
  const terms = readTerms(query.words);
  const position = query.cursor === undefined ? await start(sql) : decodePage(query.cursor);
  const open = terms.filter((term) => term.open).map(({ words }) => words.at(-1) ?? "");
  const endings = await endingsOf(sql, open);
  const question = textQuestion(terms, (word) => endings.get(word) ?? [word]);
  const finder = new TextFinder(sql, question, query);
  const [window, weights] = await Promise.all([finder.before(position.before), weightsOf(sql, terms)]);
  const { newest, before } = position;
  const isFirst = before.at === newest.at && before.id === newest.id;
  const shown = isFirst ? new Set<number>() : await finder.sessionsBetween(before, newest);
  const matches = window.matches.filter(({ session }) => !shown.has(session));
  const candidates = await ranked(matches, terms, weights);
  const page = candidates.slice(position.shown, position.shown + query.limit);
  const said = await textsOf(sql, page);
  const hits = page.flatMap((candidate): readonly RawHit[] => {
    const found = bestPlace(candidate, terms, said);
    const id = candidate.places[0]?.match.name;
    return found === undefined || id === undefined ? [] : [{ id, ...found }];
  });
  const cursor = next(position, { window, of: candidates.length, limit: query.limit });
  return { hits, ...(cursor !== undefined && { cursor }) };
}

async function start(sql: Sql): Promise<PagePosition> {
  const [row] = await sql.query(NEWEST);
  const newest =
    row === undefined ? { at: 0, id: 0 } : { at: integer(row, "at"), id: integer(row, "id") + 1 };
  return { newest, before: newest, shown: 0 };
}

async function weightsOf(sql: Sql, terms: readonly Term[]): Promise<TermWeights> {
  const levels = await levelsOf(
    sql,
    terms.flatMap(({ words }) => words),
  );
  const [row] = await sql.query(TEXTS);
  const texts = row === undefined ? 0 : integer(row, "texts");
  return terms.map((term) => {
    const rarest = Math.min(...term.words.map((word) => levels.get(word) ?? 0));
    return { term, weight: weightOf(rarest, texts) };
  });
}

async function ranked(
  matches: readonly TextMatch[],
  terms: readonly Term[],
  weights: TermWeights,
): Promise<readonly RankedSession<TextMatch>[]> {
  const hasPhrase = terms.some(({ words }) => words.length > 1);
  const read: ReadMatch<TextMatch>[] = [];
  for (const [at, match] of matches.entries()) {
    if (at % A_BREATH === A_BREATH - 1) await nextTurn();
    if (isUndone(match)) continue;
    const { body } = match;
    const said = body === undefined ? "" : saidAt(match, { at: match.at, body })?.text;
    if (said === undefined) continue;
    if (hasPhrase && match.long && said !== "" && excerptOf(said, terms) === undefined) continue;
    read.push({ match, text: said });
  }
  const newest = matches[0]?.at ?? 0;
  return rankSessions(read, weights, (match) => (newest - match.at) / 1000);
}

/** Whether a match was taken back, by its session's stored state: the index has not heard of all of it. */
function isUndone({ kind, seq, undone }: TextMatch): boolean {
  if (kind === TITLE || undone === undefined) return false;
  return undoneIn(undone).some(({ from, to }) => seq > from && seq <= to);
}

function undoneIn(state: string): readonly Range[] {
  try {
    // This is what the state's fold made.
    return (JSON.parse(state) as { readonly undone?: readonly Range[] }).undone ?? [];
  } catch {
    // The state is damaged, and is made anew when the session is next looked at.
    return [];
  }
}

/** Gives the texts of a page's places; those that were not read before are read now. */
async function textsOf(
  sql: Sql,
  page: readonly RankedSession<TextMatch>[],
): Promise<(match: TextMatch) => SaidPlace | undefined> {
  const missing = page.flatMap(({ places }) =>
    places.filter(({ match }) => match.body === undefined).map(({ match }) => match),
  );
  const bodies = new Map<string, string>();
  if (missing.length > 0) {
    const places = [missing.map(({ session }) => session), missing.map(({ seq }) => seq)];
    for (const row of await sql.query(BODIES, places))
      bodies.set(`${integer(row, "session")} ${integer(row, "seq")}`, text(row, "body"));
  }
  return (match) => {
    const body = match.body ?? bodies.get(`${match.session} ${match.seq}`);
    return body === undefined ? undefined : saidAt(match, { at: match.at, body });
  };
}

function next(
  position: PagePosition,
  { window, of, limit }: { readonly window: TextWindow; readonly of: number; readonly limit: number },
): string | undefined {
  const shown = position.shown + limit;
  if (shown < of) return encodePage({ ...position, shown });
  return window.from && encodePage({ ...position, before: window.from, shown: 0 });
}
