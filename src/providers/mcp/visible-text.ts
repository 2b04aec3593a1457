/** Controls but for tab and newline, marks that reorder or hide text, and letters that nobody sees. */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu;

/** Cuts a server's text to what models and people may be shown: visible characters, and not too many. */
export function visibleText(text: string, longest: number): string {
  const seen = text.toWellFormed().replace(INVISIBLE, "").trim();
  return seen.length <= longest ? seen : `${seen.slice(0, longest - 1).toWellFormed()}…`;
}

/** The same in one line. */
export function visibleLine(text: string, longest: number): string {
  return visibleText(text.replace(/\s+/g, " "), longest);
}
