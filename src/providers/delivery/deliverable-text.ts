/** In place of a text in which there is nothing to read: no target takes an empty one. */
const NOTHING = "(The text is empty.)";

/** Whether nothing of a text can be seen. */
export const isBlank = (text: string): boolean =>
  text.replaceAll(/[\s\p{Default_Ignorable_Code_Point}]/gu, "") === "";

/**
 * A text as every target takes it: halves of characters and control characters, which some refuse and some cannot keep,
 * are replaced or left out; it is not empty.
 */
export function deliverableText(text: string): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?![\n\t])\p{Cc}/gu, "");
  return isBlank(clean) ? NOTHING : clean;
}
