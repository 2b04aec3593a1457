/** The place of braces in a text: `start` is that of the opening one, `end` that of the closing one. */
export interface BraceGroup {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the first braces that hold no others and separate something by commas, in one look.
 *
 * @param ranges - two points separate as well, as in `{1..3}`
 */
export function firstBraceGroup(text: string, { ranges = false } = {}): BraceGroup | undefined {
  let start = -1;
  let separates = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === "{") [start, separates] = [at, false];
    else if (char === "}") {
      if (start >= 0 && separates) return { start, end: at };
      start = -1;
    } else if (char === ",") separates = true;
    else if (ranges && char === "." && text.charAt(at + 1) === ".") separates = true;
  }
  return undefined;
}
