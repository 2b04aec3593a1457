import type { IndexedText } from "../../search/indexed-text.ts";
import type { Term } from "../../search/terms.ts";

/** PostgreSQL keeps no more places of a word, and none further behind. */
const MOST_PLACES = 255;
const LAST_PLACE = 16_382;
/** A `tsvector` holds a megabyte. A text of so many bytes keeps no places, and has enough room then. */
const MOST_BYTES = 700_000;

/** A text as its `tsvector` is written. */
export interface TextVector {
  readonly words: string;
  /** Not each word has all its places: the text must tell whether a phrase stands in it. */
  readonly long: boolean;
}

/** Writes the words of a text with their places. Words have letters and digits only: nothing in them needs quoting. */
export function textVector({ words, characters }: IndexedText): TextVector {
  const places = new Map<string, number[]>();
  let long = false;
  let bytes = 0;
  for (const [at, word] of words.entries()) {
    const known = places.get(word);
    if (at > LAST_PLACE || known?.length === MOST_PLACES) long = true;
    else if (known === undefined) places.set(word, [at + 1]);
    else known.push(at + 1);
    if (!places.has(word)) places.set(word, []);
    bytes += known === undefined ? 3 * word.length + 8 : 2;
  }
  const whole = bytes <= MOST_BYTES;
  const parts = Array.from(places, ([word, at]) =>
    whole && at.length > 0 ? `'${word}':${at.join(",")}` : `'${word}'`,
  );
  for (const character of characters) if (!places.has(character)) parts.push(`'${character}'`);
  return { words: parts.join(" "), long: long || !whole };
}

/** The questions of a search: `exact` asks for phrases, too, when there are some. */
export interface TextQuestion {
  readonly all: string;
  readonly exact: string | undefined;
}

/** @param endings - the words that an open word stands for */
export function textQuestion(
  terms: readonly Term[],
  endings: (word: string) => readonly string[],
): TextQuestion {
  const ask = (join: " & " | " <-> "): string =>
    terms
      .map(({ words, open }) => {
        const beginning = words.slice(0, -1);
        const last = words.at(-1) ?? "";
        const ways = (open ? endings(last) : [last]).map((ending) =>
          [...beginning, ending].map((word) => `'${word}'`).join(join),
        );
        return `(${ways.map((way) => `(${way})`).join(" | ")})`;
      })
      .join(" & ");
  const hasPhrase = terms.some(({ words }) => words.length > 1);
  return { all: ask(" & "), exact: hasPhrase ? ask(" <-> ") : undefined };
}
