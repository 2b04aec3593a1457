/**
 * Characters that are not seen, look like a space, or change how the text around them is read: controls but tab and
 * newline, formats, fillers, tags, other spaces and lines, halves of a pair.
 */
const unseen = (): RegExp =>
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]--[\t\n ]]/gv;

/** Characters that choose between two looks of the one before. */
const LOOKS: ReadonlySet<string> = new Set(["\ufe0e", "\ufe0f"]);

/** Whether a text ends with a character of which two looks can be chosen. */
const hasTwoLooks = (before: string): boolean => /\p{Extended_Pictographic}$/v.test(before);

/**
 * Makes every character of a text visible: one that people would not see is written as its code, such as `<U+200B>`. Text
 * without such characters stays as it is.
 */
export function visible(text: string): string {
  return text.replace(unseen(), (found, index: number) =>
    LOOKS.has(found) && hasTwoLooks(text.slice(Math.max(0, index - 2), index)) ? found : codeOf(found),
  );
}

/** The same in one line: a tab or newline is written as its code, too. */
export const visibleInLine = (text: string): string => visible(text).replace(/[\t\n]/g, codeOf);

const codeOf = (found: string): string =>
  `<U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;

/**
 * Cuts the middle out of a text that is too long to be shown, and says there how many characters are missing.
 *
 * @param options - `most`: characters that are shown; `rest`: how the whole can be read
 */
export function cutVisibly(
  text: string,
  { most, rest }: { readonly most: number; readonly rest: string },
): string {
  if (text.length <= most) return text;
  const end = Math.floor(most / 4);
  const missing = text.length - most;
  const head = text.slice(0, most - end).toWellFormed();
  const tail = text.slice(text.length - end).toWellFormed();
  return `${head}\n[… ${missing} characters are not shown here; ${rest} …]\n${tail}`;
}
