/**
 * Whole escape sequences of terminals: control sequences, and the strings of OSC, DCS, SOS, PM and APC up to their end. A
 * string ends no later than the next one begins, so that no text is looked through twice. One without an end loses its
 * introducer only; its letters are harmless.
 */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c\u009d\u0090\u0098\u009e\u009f]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

/** Takes whole escape sequences out of a text, so that no remains of them are shown. */
export const withoutSequences = (text: string): string => text.replaceAll(SEQUENCE, "");

/** Output as a terminal shows it at the end: no colours, and of a line that was written over the last state. */
export const asSeen = (text: string): string => withoutSequences(text).split("\n").map(lastState).join("\n");

/** Output as a person would have seen it at the end, without what has no place in text. */
export const cleanOutput = (text: string): string => asSeen(text).replace(/[\p{Cc}--[\n\t]]/gv, "");

function lastState(line: string): string {
  let end = line.length;
  while (line[end - 1] === "\r") end -= 1;
  return line.slice(0, end).slice(line.lastIndexOf("\r", end - 1) + 1);
}
