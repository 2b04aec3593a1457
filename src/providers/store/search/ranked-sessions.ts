import { type FoundKind, type FoundPlace, saidWords } from "../../../core/index.ts";
import { excerptOf } from "./excerpt.ts";
import { eventOf, FOUND_KINDS, TITLE } from "./indexed-text.ts";
import { relevance, sessionScore, type TermWeights } from "./ranking.ts";
import type { RawHit } from "./search-messages.ts";
import type { Term } from "./terms.ts";

/** A place of an index that has all words of a search. */
export interface Match {
  readonly session: number;
  readonly seq: number;
  readonly kind: number;
  /** The session's title, of a match in one. */
  readonly title: string | undefined;
  /** Something of the session's log is not in the index yet. */
  readonly lags: boolean;
}

/** The text that stands at a match. */
export type SaidPlace = Omit<FoundPlace, "marks">;

/** A match whose text was read. */
export interface ReadMatch<M extends Match> {
  readonly match: M;
  readonly text: string;
}

/** A session with its places, the best first. */
export interface RankedSession<M extends Match> {
  readonly session: number;
  readonly places: readonly { readonly match: M; readonly score: number }[];
  readonly score: number;
}

/** Ranks the sessions of some matches, which are the newest first; `age` gives the seconds from a match to the newest one. */
export function rankSessions<M extends Match>(
  matches: readonly ReadMatch<M>[],
  weights: TermWeights,
  age: (match: M) => number,
): readonly RankedSession<M>[] {
  const sessions = new Map<number, { readonly match: M; readonly score: number }[]>();
  for (const { match, text } of matches) {
    const place = { match, score: relevance(text, match.kind, weights) };
    const places = sessions.get(match.session);
    if (places === undefined) sessions.set(match.session, [place]);
    else places.push(place);
  }
  const candidates = [...sessions].map(([session, places]): RankedSession<M> => {
    const newest = places[0] === undefined ? 0 : age(places[0].match);
    const best = places.toSorted((a, b) => b.score - a.score);
    return { session, places: best, score: sessionScore(best[0]?.score ?? 0, best.length, newest) };
  });
  return candidates.sort((a, b) => b.score - a.score);
}

/** Shows the best place of a session; `undefined` when nothing can be shown. */
export function bestPlace<M extends Match>(
  { places }: RankedSession<M>,
  terms: readonly Term[],
  said: (match: M) => SaidPlace | undefined,
): Omit<RawHit, "id"> | undefined {
  // A session's title is shown with it anyway: what stands in its conversation tells more.
  const of = (isTitle: boolean) => places.filter(({ match }) => (match.kind === TITLE) === isTitle);
  for (const { match } of [...of(false), ...of(true)]) {
    const there = said(match);
    const excerpt = there && excerptOf(there.text, terms);
    if (there === undefined || excerpt === undefined) continue;
    const { text: _text, ...where } = there;
    return { places: places.length, place: { ...where, ...excerpt } };
  }
  return undefined;
}

/** The words of a row at a match; `undefined` when they cannot be read, or are the session's title no more. */
export function saidAt(
  { seq, kind: number, title }: Match,
  row: { readonly at: number; readonly body: string },
): SaidPlace | undefined {
  const kind: FoundKind = FOUND_KINDS[number] ?? "answer";
  const event = eventOf(row.body);
  if (event === undefined) return undefined;
  const words = saidWords(event).find((each) => each.kind === kind)?.text;
  if (words === undefined || (number === TITLE && words !== title)) return undefined;
  const turn = "turnId" in event ? { turnId: event.turnId } : {};
  return { kind, seq, at: row.at, text: words, ...turn };
}
