import { toolFailed } from "../../../shared/errors/host-error.ts";
import { isCrlf, toCrlf } from "./text-content.ts";

/** One replacement in a text. */
export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly all: boolean;
}

/** The result of a replacement. */
export interface EditedText {
  readonly text: string;
  /** Lines of the new text where a change begins, counted from 1. */
  readonly lines: readonly number[];
}

/** Line numbers that an error names. */
const MOST_LINES_NAMED = 10;

/**
 * Replaces one text by another where it occurs, to the letter; only the ends of lines are taken for equal where the
 * whole file has CR LF.
 *
 * @param path - for errors
 * @throws HostError `tool_failed` that tells the model what it can do
 */
export function editText(text: string, edit: TextEdit, path: string): EditedText {
  const { oldText, newText } = isCrlf(text)
    ? { oldText: toCrlf(edit.oldText), newText: toCrlf(edit.newText) }
    : edit;
  if (oldText === "") throw toolFailed(`old_text is empty; to write the whole of ${path} use write_file`);
  if (oldText === newText) throw toolFailed("old_text and new_text are the same; nothing would change");
  const places = occurrences(text, oldText);
  if (places.length === 0) throw toolFailed(notFoundMessage(text, oldText, path));
  if (places.length > 1 && !edit.all) {
    const named = places.slice(0, MOST_LINES_NAMED).map((at) => lineAt(text, at));
    const more = places.length > named.length ? ", …" : "";
    throw toolFailed(
      `old_text occurs ${places.length} times in ${path} (lines ${named.join(", ")}${more}); add lines around it to make it unique, or set all to true`,
    );
  }
  return replaceAt(text, places, { oldText, newText });
}

function occurrences(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}

function lineAt(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) line += 1;
  return line;
}

function replaceAt(
  text: string,
  places: readonly number[],
  { oldText, newText }: { readonly oldText: string; readonly newText: string },
): EditedText {
  const parts: string[] = [];
  const lines: number[] = [];
  let line = 1;
  let from = 0;
  for (const at of places) {
    const before = text.slice(from, at);
    line += countLines(before);
    lines.push(line);
    line += countLines(newText);
    parts.push(before, newText);
    from = at + oldText.length;
  }
  return { text: parts.join("") + text.slice(from), lines };
}

const countLines = (text: string): number => text.split("\n").length - 1;

function notFoundMessage(text: string, oldText: string, path: string): string {
  const base = `old_text was not found in ${path}`;
  const wanted = oldText.split("\n").filter((line) => line.trim() !== "");
  if (wanted.length > 0 && wanted.every((line) => /^ *\d+\t/.test(line))) {
    return `${base}: leave out the line numbers and the tab that read_file puts before each line`;
  }
  const closest = closestLine(text.split("\n"), wanted[0] ?? oldText);
  if (closest === undefined) return `${base}; read the file again`;
  const shown = closest.text.slice(0, LONGEST_SHOWN).replace(/\r$/, "");
  return `${base}; the closest line is\n${String(closest.number).padStart(6)}\t${shown}\nIt has to be the same to the letter, blanks included. Read the file again`;
}

const LONGEST_SHOWN = 300;
const MOST_COMPARED = 20_000;
/** Below this share of common pairs of letters, a line is not close. */
const CLOSE = 0.4;

/** The line that is most like another, by the pairs of letters that they share; blanks count little. */
function closestLine(
  lines: readonly string[],
  wanted: string,
): { readonly number: number; readonly text: string } | undefined {
  const pairs = pairsOf(wanted);
  let best: { number: number; text: string } | undefined;
  let most = CLOSE;
  for (const [at, text] of lines.slice(0, MOST_COMPARED).entries()) {
    const score = similarity(pairs, pairsOf(text));
    if (score <= most) continue;
    most = score;
    best = { number: at + 1, text };
  }
  return best;
}

function pairsOf(line: string): ReadonlyMap<string, number> {
  const text = line.trim().slice(0, LONGEST_SHOWN);
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at += 1) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

function similarity(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let common = 0;
  for (const [pair, count] of a) common += Math.min(count, b.get(pair) ?? 0);
  const all = sum(a) + sum(b);
  return all === 0 ? 0 : (2 * common) / all;
}

const sum = (pairs: ReadonlyMap<string, number>): number =>
  [...pairs.values()].reduce((all, count) => all + count, 0);
