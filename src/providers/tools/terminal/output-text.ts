import { cleanOutput } from "../../../shared/text/control-sequences.ts";
import { type BoundedOutput, decodeEnds } from "../spawn/bounded-output.ts";

/** Of what is kept, the part from the beginning; errors and results usually stand at the end. */
const HEAD_SHARE = 0.2;
/** Bytes of the longest character. */
const WIDEST = 4;

const PREVIEW_LINES = 5;
const PREVIEW_CHARACTERS = 300;
/** Bytes of the end that a preview is made of. */
const PREVIEW_BYTES = 2048;

/** What has to be kept in memory for a text of so many characters. */
export function limitsFor(characters: number): { readonly head: number; readonly tail: number } {
  const head = Math.floor(characters * HEAD_SHARE);
  return { head: head * WIDEST, tail: (characters - head) * WIDEST };
}

/** Output as the model gets it. */
export interface ShownOutput {
  readonly text: string;
  /** Something was left out. */
  readonly isCut: boolean;
}

/** The output within a number of characters: its beginning, its end, and how much lies between. */
export function showOutput(output: BoundedOutput, characters: number): ShownOutput {
  const ends = decodeEnds(output);
  const [head, tail] = [cleanOutput(ends.head), cleanOutput(ends.tail)];
  const whole = head + tail;
  if (output.omitted === 0 && whole.length <= characters) return { text: whole.trimEnd(), isCut: false };
  const room = Math.floor(characters * HEAD_SHARE);
  const first = firstCharacters(output.omitted === 0 ? whole : head, room);
  const last = lastCharacters(output.omitted === 0 ? whole : tail, characters - room);
  const note =
    output.omitted === 0
      ? `${whole.length - first.length - last.length} of ${whole.length} characters`
      : // What was kept and is not shown is left out too.
        `some ${output.total - Buffer.byteLength(first) - Buffer.byteLength(last)} of ${output.total} bytes`;
  return { text: `${first}\n[… ${note} left out …]\n${last}`.trimEnd(), isCut: true };
}

/** At most so many characters of the beginning, none of them broken. */
function firstCharacters(text: string, count: number): string {
  return text.slice(0, count).replace(/[\uD800-\uDBFF]$/, "");
}

/** At most so many characters of the end, none of them broken. */
export function lastCharacters(text: string, count: number): string {
  return count === 0 ? "" : text.slice(-count).replace(/^[\uDC00-\uDFFF]/, "");
}

/** The newest lines. */
export function previewOf(output: BoundedOutput): string {
  const { text } = output.since(Math.max(0, output.total - PREVIEW_BYTES));
  const lines = cleanOutput(text)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lastCharacters(lines.slice(-PREVIEW_LINES).join("\n"), PREVIEW_CHARACTERS);
}
