import { marked, type Token } from "marked";
import { isDenseMarkdown } from "../../../shared/text/markdown-density.ts";

/** Characters after which the next empty line ends a piece, and those after which any place does. */
const USUAL_PIECE = 2000;
const LONGEST_PIECE = 6000;

/**
 * Reads Markdown as blocks. The parser takes quadratic time for some texts and gives up on some: a long text is read in
 * pieces, and a piece that it cannot read is text as it stands.
 */
export function markdownBlocks(source: string): readonly Token[] {
  return piecesOf(source).flatMap((piece): readonly Token[] => {
    if (isDenseMarkdown(piece)) return asItStands(piece);
    try {
      return marked.lexer(piece);
    } catch {
      return asItStands(piece);
    }
  });
}

const asItStands = (piece: string): readonly Token[] => [{ type: "text", raw: piece, text: piece }];

/** Cuts between blocks where that is possible; never within a block of code that has an end. */
function piecesOf(source: string): readonly string[] {
  if (source.length <= USUAL_PIECE) return [source];
  const pieces: string[] = [];
  let from = 0;
  let fence: string | undefined;
  let at = 0;
  for (const line of source.split(/(?<=\n)/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    const ends = fence === undefined && (line.trim() === "" ? USUAL_PIECE : LONGEST_PIECE) < at - from;
    if (ends) {
      pieces.push(source.slice(from, at));
      from = at;
    }
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    at += line.length;
    // One line that is longer than any piece. Code that has just ended is as long as it is.
    const isLong = fence === undefined && line.length > LONGEST_PIECE;
    const end = isLong ? at - 2 * LONGEST_PIECE : from;
    for (; from < end; from += LONGEST_PIECE) pieces.push(source.slice(from, from + LONGEST_PIECE));
  }
  return [...pieces, source.slice(from)];
}
