import type { Highlighter } from "./highlight.ts";
import { type Line, span } from "./line.ts";
import { wrapExact } from "./wrap.ts";

/** Longer lines are data, not code. */
const LONGEST_COLOURED = 400;

const none: Highlighter = (code) => [span(code)];
/** One for the whole process: it is large, and has no state of its own. */
let highlight = none;

/**
 * Loads the colours of languages, which the first frame does not wait for. Until then code is shown without.
 */
export async function loadColours(): Promise<void> {
  const { makeHighlighter } = await import("./highlight.ts");
  highlight = makeHighlighter();
}

/** Code as lines of at most so many columns, in colours when the language is known. */
export function codeLines(code: string, language: string, columns: number): readonly Line[] {
  const plain = language === "" || code.split("\n").some(({ length }) => length > LONGEST_COLOURED);
  return wrapExact(plain ? none(code, language) : highlight(code, language), columns);
}
