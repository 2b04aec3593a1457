/** Characters that take two columns of a terminal. */
const WIDE =
  /[\u{1100}-\u{115f}\u{2e80}-\u{a4cf}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/gu;
/** Characters that are two of JavaScript's. */
const PAIR = /[\u{10000}-\u{10ffff}]/gu;

/** What stands before the words of a line: its indent, or columns such as those of a list. */
const LEAD = /^ *(?:(?:\S+ )*\S+ {2,}|\d+\) )*/;

/**
 * Breaks lines between words, as terminals do not: they break in the middle of one. Lines that go on stand under the
 * column in which their words began. A word that is longer than a line stays whole, so that a copied path is one.
 */
export const wrapWords = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => wrappedLine(line, columns))
    .join("\n");

function wrappedLine(line: string, columns: number): string {
  if (columnsOf(line) <= columns) return line;
  const lead = LEAD.exec(line)?.[0] ?? "";
  const indent = columnsOf(lead) > columns / 2 ? "" : " ".repeat(columnsOf(lead));
  let taken = columnsOf(lead);
  let wrapped = lead;
  for (const [, space = "", word = ""] of line.slice(lead.length).matchAll(/( *)([^ ]+)/g)) {
    const needed = columnsOf(word);
    const isFirst = wrapped === lead;
    if (!isFirst && taken + space.length + needed > columns) {
      wrapped += `\n${indent}${word}`;
      taken = indent.length + needed;
    } else {
      wrapped += `${space}${word}`;
      taken += space.length + needed;
    }
    // The terminal goes on in the next line with what is longer than one.
    if (taken > columns) taken %= columns;
  }
  return wrapped;
}

function columnsOf(text: string): number {
  const pairs = text.match(PAIR)?.length ?? 0;
  return text.length - pairs + (text.match(WIDE)?.length ?? 0) - (text.match(/[\p{M}\p{Cf}]/gu)?.length ?? 0);
}
