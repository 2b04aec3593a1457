/** Signs that open or close something within a paragraph. */
const SIGNS = /[*_[\]<>!`~\\]/g;
/** Signs in one paragraph that no person writes, and so many that are dense when they stand close together. */
const MOST_SIGNS = 1500;
const MANY_SIGNS = 300;
const SHARE = 0.12;
/** Signs of a fence that no person writes. */
const LONGEST_FENCE = 100;

/**
 * Whether a text has a paragraph with so many signs that reading it as Markdown takes long: parsers take time that grows
 * with the square of their number. Blocks of code do not count.
 */
export function isDenseMarkdown(text: string): boolean {
  let fence: string | undefined;
  let signs = 0;
  let length = 0;
  for (const line of text.split("\n")) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined && mark.length > LONGEST_FENCE) return true;
    if (mark !== undefined) fence = mark;
    if (line.trim() === "") [signs, length] = [0, 0];
    signs += line.match(SIGNS)?.length ?? 0;
    length += line.length;
    if (signs > MOST_SIGNS || (signs > MANY_SIGNS && signs > SHARE * length)) return true;
  }
  return false;
}
