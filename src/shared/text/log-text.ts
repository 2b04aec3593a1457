/**
 * Makes text safe to be looked at in a log. Characters that a terminal obeys, that end lines elsewhere, or that reorder or
 * hide what is read are written as `\uXXXX`; in the strings of JSON that means the same.
 */
export function logText(text: string): string {
  return PLAIN.test(text) ? text : text.toWellFormed().replaceAll(unsafe(), escaped);
}

// Finding control characters is what these are for.
/* oxlint-disable no-control-regex */

/** C0, DEL and C1, and whatever is drawn as nothing: bidirectional controls, joiners, tags, line separators. */
const unsafe = (): RegExp =>
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;
/** Most text is of these alone. */
const PLAIN = /^[ -~]*$/;

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
  ).join("");
