import { HostError } from "../../../shared/errors/host-error.ts";
import { type IndexedWord, wordsIn } from "./words.ts";

/** A wish of a search: words that follow each other. */
export interface Term {
  readonly words: readonly string[];
  /** The last word may go on. */
  readonly open: boolean;
  /** A single character of a script without blanks, wherever it stands. */
  readonly single: boolean;
}

const LONGEST_SEARCH = 1000;
const MOST_TERMS = 32;
/** `"a phrase"`, also one whose end is still to be typed, or characters without blanks. */
const PARTS = /"([^"]*)("|$)|([^\s"]+)/g;

/**
 * Reads what somebody typed: all words must be there, `"words in quotes"` in this order; a word with `*` behind it may go
 * on, and so may the last one. Nothing else has a meaning, and no text is wrong.
 *
 * @throws HostError `invalid_params` when there is no word in it, or far too many
 */
export function readTerms(typed: string): readonly Term[] {
  if (typed.length > LONGEST_SEARCH) throw tooLong(`${typed.length} characters`, `${LONGEST_SEARCH}`);
  const terms: Term[] = [];
  for (const { 0: part, 1: phrase, 2: quote, 3: plain, index } of typed.matchAll(PARTS)) {
    const isLast = index + part.length === typed.length;
    const open = plain === undefined ? isLast && quote === "" : isLast || plain.endsWith("*");
    terms.push(...termsOf([...wordsIn(phrase ?? plain ?? "")], open));
  }
  if (terms.length > MOST_TERMS) throw tooLong(`${terms.length} words`, `${MOST_TERMS}`);
  if (terms.length > 0) return terms;
  throw new HostError("invalid_params", "There is no word to search for. Type a word, or two.", {
    details: { subject: "search" },
  });
}

function termsOf(words: readonly IndexedWord[], open: boolean): readonly Term[] {
  const last = words.at(-1);
  if (last === undefined) return [];
  const single = words.length === 1 && last.pair === true && Array.from(last.word).length === 1;
  // Behind two characters of such a script anything may follow: they are a word of the index by themselves.
  return [{ words: words.map(({ word }) => word), open: open && last.pair !== true, single }];
}

const tooLong = (has: string, most: string): HostError =>
  new HostError(
    "invalid_params",
    `The search has ${has}; at most ${most} can be searched for. Leave some out.`,
    {
      details: { subject: "search" },
    },
  );
