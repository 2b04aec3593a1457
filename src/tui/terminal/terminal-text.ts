import { withoutSequences } from "../../shared/text/control-sequences.ts";

/**
 * The one way for foreign text to a terminal: model output, tool output, file names, titles, pasted text. What could
 * move the cursor, change modes, title or clipboard, ask the terminal for an answer, or reorder what is read, is
 * taken out; line breaks and tabs stay. Cutting the text anywhere and cleaning the parts is as safe as the whole.
 */
export function forTerminal(text: string): string {
  return UNSAFE.test(text)
    ? withoutSequences(text.replaceAll("\r\n", "\n")).replaceAll(UNSAFE_ALL, "")
    : text;
}

/** The same on one line: breaks and tabs become spaces. */
export function forTerminalLine(text: string): string {
  return forTerminal(text).replaceAll(/[\n\t]+/g, " ");
}

// Finding control characters is what these are for.
/* oxlint-disable no-control-regex */

/** C0 but line feed and tab, DEL, C1, bidirectional controls, and the characters that end lines elsewhere. */
const UNSAFE_CLASS =
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufff9-\\ufffb]";
const UNSAFE = new RegExp(UNSAFE_CLASS);
const UNSAFE_ALL = new RegExp(UNSAFE_CLASS, "g");
