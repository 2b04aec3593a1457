import { wordsIn } from "../../store/search/words.ts";
import type { DocumentPiece } from "../documents.ts";

/** PostgreSQL keeps no more places of a word. */
const MOST_PLACES = 255;

/** A piece as the index has it. */
export interface IndexedPiece {
  /** Its `tsvector`. */
  readonly words: string;
  /** How many words it has. */
  readonly length: number;
  readonly different: readonly string[];
}

/** Makes the words of a piece, those of its heading marked with the weight A. Words have letters and digits only. */
export function indexedPiece({ heading, text }: DocumentPiece): IndexedPiece {
  const places = new Map<string, string[]>();
  let length = 0;
  for (const [said, weight] of [
    [heading, "A"],
    [text, ""],
  ] as const) {
    for (const { word } of wordsIn(said)) {
      length += 1;
      const known = places.get(word);
      if (known === undefined) places.set(word, [`${length}${weight}`]);
      else if (known.length < MOST_PLACES) known.push(`${length}${weight}`);
    }
  }
  const words = Array.from(places, ([word, at]) => `'${word}':${at.join(",")}`).join(" ");
  return { words, length, different: [...places.keys()] };
}
