import { splitText } from "../split-text.ts";
import { lengthWithin } from "./containers.ts";

/** A fence, where a line begins with one. */
const FENCE = /^([ \t]*)(?=`{3,}[^`\n]*$|~{3,})/gm;
/** Code within a text; what is escaped begins none. */
const SPAN = /\\[\s\S]|(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g;

/** Cuts Markdown that is no block of code: spans of code stay such, and nothing that was none becomes code. */
export function splitProse(text: string, limit: number): readonly string[] {
  // A fence that comes to stand at the beginning of a line is escaped.
  const room = Math.max(1, limit - 1);
  const pieces = text.includes("`") ? aroundSpans(text, room) : splitText(text, room);
  return pieces.map((piece) => piece.replaceAll(FENCE, "$1\\"));
}

/** Cuts a text between its lines, but not within spans of code, into pieces that fit with so much before each line. A line may be longer. */
export function betweenLines(
  text: string,
  { limit, width }: { readonly limit: number; readonly width: number },
): readonly string[] {
  if (lengthWithin(text, width) <= limit) return [text];
  const pieces: string[] = [];
  let piece: string[] = [];
  let length = 0;
  for (const lines of wholeLines(text)) {
    const more = lengthWithin(lines, width) + 1;
    if (piece.length > 0 && length + more > limit + 1) {
      pieces.push(piece.join("\n").trim());
      [piece, length] = [[], 0];
    }
    piece.push(lines);
    length += more;
  }
  return [...pieces, piece.join("\n").trim()];
}

/** The lines of a text; those that a span of code goes over are one. */
function wholeLines(text: string): readonly string[] {
  const lines = [""];
  for (const { words, ticks } of atomsOf(text)) {
    const [first = "", ...others] = ticks === undefined ? words.split("\n") : [words];
    lines.push(`${lines.pop() ?? ""}${first}`, ...others);
  }
  return lines;
}

function aroundSpans(text: string, room: number): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  const push = (next: string): void => {
    if (piece.trim() !== "") pieces.push(piece.trim());
    piece = next;
  };
  for (const { words, ticks } of atomsOf(text)) {
    if (ticks === undefined) {
      let rest = words;
      while (piece.length + rest.length > room) {
        const at = cutAt(rest, room - piece.length, piece === "");
        piece += rest.slice(0, at);
        rest = rest.slice(at).trimStart();
        push("");
      }
      piece += rest;
    } else if (piece.length + words.length <= room) piece += words;
    else for (const span of cutSpan(words, ticks, room)) push(span);
  }
  push("");
  return pieces;
}

/** A text as its spans of code, and what is between them. */
function atomsOf(text: string): readonly { readonly words: string; readonly ticks?: string }[] {
  const atoms: { readonly words: string; readonly ticks?: string }[] = [];
  let from = 0;
  for (const { 0: words, 1: ticks, index } of text.matchAll(SPAN)) {
    if (ticks === undefined) continue;
    atoms.push({ words: text.slice(from, index) }, { words, ticks });
    from = index + words.length;
  }
  return [...atoms, { words: text.slice(from) }];
}

function cutAt(text: string, room: number, mustCut: boolean): number {
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, room);
    if (at >= (mustCut ? Math.floor(room / 2) + 1 : 0)) return at;
  }
  return mustCut ? wholeAt(text, room) : 0;
}

function cutSpan(span: string, ticks: string, room: number): readonly string[] {
  const size = room - 2 * ticks.length;
  if (span.length <= room) return [span];
  if (size < 2) return splitText(span, room);
  const spans: string[] = [];
  let rest = span.slice(ticks.length, -ticks.length);
  while (rest.length > size) {
    let at = wholeAt(rest, size);
    while (at > 1 && `${rest[at - 1] ?? ""}${rest[at] ?? ""}`.includes("`")) at -= 1;
    spans.push(`${ticks}${rest.slice(0, at)}${ticks}`);
    rest = rest.slice(at);
  }
  return [...spans, `${ticks}${rest}${ticks}`];
}

/** Not inside a character, nor behind a sign that escapes the next. */
function wholeAt(text: string, at: number): number {
  const code = text.charCodeAt(at - 1);
  return at > 1 && ((code >= 0xd800 && code <= 0xdbff) || text[at - 1] === "\\") ? at - 1 : at;
}
