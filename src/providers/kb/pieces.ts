import type { DocumentPiece } from "./documents.ts";

/** Characters of a piece: about 500 tokens. */
const LONGEST = 2000;
const LONGEST_HEADING = 200;
const HEADING = /^(#{1,6})[ \t]+(.+?)[ \t#]*$/;
const FENCE = /^ {0,3}(```|~~~)/;

/** Cuts Markdown at its headings, and what is longer than a piece between two paragraphs, lines or words. */
export function cutPieces(markdown: string): readonly DocumentPiece[] {
  const pieces: DocumentPiece[] = [];
  for (const { heading, text } of sections(markdown))
    for (const part of parts(text)) pieces.push({ heading, text: part });
  return pieces;
}

function* sections(markdown: string): Generator<DocumentPiece, void, undefined> {
  const path: string[] = [];
  let lines: string[] = [];
  let heading = "";
  let fence: string | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || fence === mark))
      fence = fence === undefined ? mark : undefined;
    const [, level = "", title = ""] = fence === undefined ? (HEADING.exec(line.slice(0, 1000)) ?? []) : [];
    if (level === "") {
      lines.push(line);
      continue;
    }
    yield { heading, text: lines.join("\n") };
    lines = [];
    path.length = Math.min(path.length, level.length - 1);
    while (path.length < level.length - 1) path.push("");
    path.push(title.trim().slice(0, LONGEST_HEADING));
    heading = path.filter((each) => each !== "").join(" › ");
  }
  yield { heading, text: lines.join("\n") };
}

function* parts(text: string): Generator<string, void, undefined> {
  let from = 0;
  while (from < text.length) {
    const end = endOf(text, from);
    const part = text.slice(from, end).trim();
    if (part !== "") yield part;
    from = end;
  }
}

/** Where a piece ends that begins at `from`: never between the halves of a character. */
function endOf(text: string, from: number): number {
  if (text.length - from <= LONGEST) return text.length;
  const part = text.slice(from, from + LONGEST);
  for (const border of ["\n\n", "\n", ". ", "。", " "]) {
    const at = part.lastIndexOf(border);
    if (at > LONGEST / 2) return from + at + border.length;
  }
  return from + LONGEST - (/[\uD800-\uDBFF]$/.test(part) ? 1 : 0);
}
