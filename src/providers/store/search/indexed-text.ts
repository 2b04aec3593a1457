import { type DurableEvent, type FoundKind, SAID_IN } from "../../../core/index.ts";
import { USED_IN } from "../usage/usage-fold.ts";
import { wordsIn } from "./words.ts";

/** The kinds of places, in the order of their numbers in an index. */
export const FOUND_KINDS: readonly FoundKind[] = ["title", "prompt", "answer", "tool"];
export const TITLE = FOUND_KINDS.indexOf("title");

/** The events that an index is made of. */
export const INDEXED_IN: readonly DurableEvent["type"][] = [
  ...new Set([...SAID_IN, ...USED_IN, "history.undo" as const]),
];

/** Characters of one text that are looked through. */
const LONGEST_TEXT = 100_000;
const SHORTEST_WORD = 3;

/** A text as an index holds it. */
export interface IndexedText {
  readonly words: readonly string[];
  /** Single characters of scripts without blanks. */
  readonly characters: ReadonlySet<string>;
  /** The words that a beginning may stand for. */
  readonly learnt: ReadonlySet<string>;
}

/** Makes a text's words. */
export function indexedText(said: string): IndexedText {
  const words: string[] = [];
  const characters = new Set<string>();
  const learnt = new Set<string>();
  for (const { word, pair } of wordsIn(said.slice(0, LONGEST_TEXT))) {
    words.push(word);
    if (pair === true) for (const character of word) characters.add(character);
    else if (word.length >= SHORTEST_WORD) learnt.add(word);
  }
  return { words, characters, learnt };
}

/** The event of a row; `undefined` when its text is damaged. */
export function eventOf(body: string): DurableEvent | undefined {
  try {
    // These are the bytes that `encodeRow` wrote, as far as they can be read.
    return JSON.parse(body) as DurableEvent;
  } catch {
    return undefined;
  }
}
