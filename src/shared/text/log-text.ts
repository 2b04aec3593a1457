/**
 * Makes text safe to be looked at in a log. Characters that a terminal obeys, that end lines elsewhere, or that reorder or
 * hide what is read are written as `\uXXXX`; in the strings of JSON that means the same.
 */
export function logText(text: string): string {
  return UNSAFE.test(text) ? text.toWellFormed().replaceAll(UNSAFE_ALL, escaped) : text.toWellFormed();
}

// Finding control characters is what these are for.
/* oxlint-disable no-control-regex */

/** C0, DEL and C1, and whatever is drawn as nothing: bidirectional controls, joiners, tags, line separators. */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
const UNSAFE_ALL = new RegExp(UNSAFE, "gu");

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
