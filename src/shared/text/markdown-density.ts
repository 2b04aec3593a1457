/** Signs that open or close something within a paragraph. */
const SIGNS = /[*_[\]<>!`~\\]/g;
/** Signs in one paragraph that no person writes, and so many that are dense when they stand close together. */
const MOST_SIGNS = 1500;
const MANY_SIGNS = 300;
const SHARE = 0.12;
/** Quotes in quotes, as deep as people write them. */
const QUOTE = /^(?: {0,3}> ?){0,3}/;
const INNER_QUOTE = /^(?:[ \t]*> ?){0,3}/;
/** Entries of lists in each other on one line, more than a person writes, and a rule, which looks so too. */
const DEEP_ENTRY = /^(?:[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]){50}/;
const RULE = /^[ \t>]*([-*])(?:[ \t]*\1)*[ \t]*$/;
/** Signs of a fence that no person writes. */
const LONGEST_FENCE = 100;

/**
 * Whether a text has a paragraph with so many signs that reading it as Markdown takes long: parsers take time that grows
 * with the square of their number; or lists so deep in each other that writing them would not end. Blocks of code do not count.
 */
export function isDenseMarkdown(text: string): boolean {
  let fence: string | undefined;
  let signs = 0;
  let length = 0;
  let depth = 0;
  for (const written of text.split("\n")) {
    // What says that a line is in a quote is no sign of its paragraph.
    const quote = QUOTE.exec(written)?.[0] ?? "";
    const line = fence !== undefined && depth === 0 ? written : written.slice(quote.length);
    const quotes = quote.length - quote.replaceAll(">", "").length;
    if (fence !== undefined && quotes < depth) fence = undefined;
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
      continue;
    }
    if (mark !== undefined && mark.length > LONGEST_FENCE) return true;
    if (mark !== undefined) [fence, depth] = [mark, quotes];
    if (DEEP_ENTRY.test(written) && !RULE.test(written)) return true;
    if (line.trim() === "") [signs, length] = [0, 0];
    const words = line.replace(INNER_QUOTE, "");
    signs += words.match(SIGNS)?.length ?? 0;
    length += words.length;
    if (signs > MOST_SIGNS || (signs > MANY_SIGNS && signs > SHARE * length)) return true;
  }
  return false;
}
