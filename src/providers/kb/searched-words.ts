import { HostError } from "../../shared/errors/host-error.ts";
import { wordsIn } from "../store/search/words.ts";

/** Pieces that one search ranks: to weigh all that have a common word takes too long, and they say little. */
export const MOST_RANKED = 3000;
/** Common words that are weighed when there are no rare ones: each takes a walk through most of the index. */
const MOST_COMMON = 2;
const MOST_WORDS = 32;
const LONGEST_SEARCH = 2000;

/** The words of a search. @throws HostError `invalid_params` when there is none */
export function wordsOfSearch(typed: string): readonly string[] {
  const words = new Set<string>();
  for (const { word } of wordsIn(typed.slice(0, LONGEST_SEARCH))) {
    words.add(word);
    if (words.size === MOST_WORDS) break;
  }
  if (words.size > 0) return [...words];
  throw new HostError("invalid_params", "There is no word to search for. Use a word, or some.");
}

/** A word with how many pieces have it. */
export interface CountedWord {
  readonly word: string;
  readonly count: number;
}

/** A question to the index. */
export interface WordQuestion {
  readonly words: readonly CountedWord[];
  /** A piece must have all of them; else one is enough, and few pieces have one. */
  readonly all: boolean;
}

/** Gives the questions to try until one finds something. */
export function* wordQuestions(words: readonly CountedWord[]): Generator<WordQuestion, void, undefined> {
  const counted = words.filter(({ count }) => count > 0).toSorted((one, other) => one.count - other.count);
  let sum = 0;
  const rare = counted.filter(({ count }) => (sum += count) <= MOST_RANKED);
  if (rare.length > 0) yield { words: rare, all: false };
  const rest = counted.slice(rare.length, rare.length + MOST_COMMON);
  if (rest.length > 1) yield { words: rest, all: true };
  // Each alone: together they would be too many.
  for (const word of rest) yield { words: [word], all: true };
}
