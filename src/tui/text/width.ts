import stringWidth from "string-width";
import { GraphemeSegmenter } from "./grapheme-segmenter.ts";
import { NARROW } from "./narrow.ts";

const graphemes = new GraphemeSegmenter();
// What most text is made of: one column a character, and no two of them ever join.
const PLAIN = /^[\x20-\x7e]*$/;

/** Columns that a text takes on a terminal. */
export function width(text: string): number {
  // A tab is shown as one space, as every break within a line.
  return NARROW.test(text) ? text.length : stringWidth(text.replaceAll("\t", " "));
}

/** What a person sees as characters, in order. */
export function characters(text: string): readonly string[] {
  if (PLAIN.test(text)) return text.split("");
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** The beginning of a text that fits, with an ellipsis when it is not all. */
export function fit(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  if (columns <= 0) return "";
  return `${head(text, columns - 1)}…`;
}

/** The end of a text that fits, with an ellipsis when it is not all: paths say most at their end. */
export function fitEnd(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  if (columns <= 0) return "";
  const reversed = characters(text).toReversed();
  let taken = 0;
  const kept = reversed.findIndex((each) => (taken += width(each)) > columns - 1);
  return `…${reversed.slice(0, kept).toReversed().join("")}`;
}

/** The longest beginning of a text that takes so many columns at most. */
export function head(text: string, columns: number): string {
  if (PLAIN.test(text)) return text.slice(0, Math.max(0, columns));
  let taken = 0;
  let end = 0;
  for (const each of characters(text)) {
    taken += width(each);
    if (taken > columns) break;
    end += each.length;
  }
  return text.slice(0, end);
}
