import type { Term } from "./terms.ts";
import { foldedText } from "./words.ts";

/** How much a match in a title, in a person's words, in the agent's and in what a call was for counts. */
const KIND_WEIGHTS = [2.5, 1.3, 1, 0.6];
/** BM25: how soon a word that comes again counts no more, and how much the length of a text does. */
const K1 = 1.2;
const B = 0.75;
const USUAL_LENGTH = 400;
/** Characters of a text that are counted in. */
const COUNTED = 20_000;
const MOST_COUNTED = 8;
/** A match that is so much older counts half of what its age takes away. */
const HALF_LIFE_S = 30 * 24 * 60 * 60;

/** The weight of each term: the rarer it is, the more. */
export type TermWeights = readonly { readonly term: Term; readonly weight: number }[];

/** The weight of a word that about 2^level of all documents have. */
export const weightOf = (level: number | undefined, documents: number): number =>
  Math.log(1 + (documents + 1) / (2 ** (level ?? 0) + 0.5));

/** How well a text that has all terms answers them. */
export function relevance(text: string, kind: number, weights: TermWeights): number {
  const counted = foldedText(text.slice(0, COUNTED));
  const length = 1 - B + (B * counted.length) / USUAL_LENGTH;
  let sum = 0;
  for (const { term, weight } of weights) {
    const count = countOf(counted, term.words.join(" "));
    sum += (weight * count * (K1 + 1)) / (count + K1 * length);
  }
  return sum * (KIND_WEIGHTS[kind] ?? 1);
}

/** How well a session answers: its best place, a little for further ones, less the older it is. */
export const sessionScore = (best: number, places: number, ageSeconds: number): number =>
  best * (1 + 0.15 * Math.log(places)) * (0.5 + 0.5 * 2 ** (-ageSeconds / HALF_LIFE_S));

/** At least 1: the index has found it. */
function countOf(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0 && count < MOST_COUNTED; count += 1)
    at = text.indexOf(wanted, at + wanted.length);
  return Math.max(1, count);
}
