import { marked, type Token } from "marked";
import { isDenseMarkdown } from "../../../shared/text/markdown-density.ts";

/** Characters after which a piece ends between two blocks, at the next line that is in no entry of a list, and anywhere. */
const USUAL_PIECE = 2000;
const LONG_PIECE = 6000;
const LONGEST_PIECE = 120_000;

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
  let fence: Fence | undefined;
  let at = 0;
  let isAfterBlank = false;
  for (const line of source.split(/(?<=\n)/)) {
    if (fence !== undefined && isBehind(line, fence)) fence = undefined;
    if (fence === undefined && mayEnd(line, at - from, isAfterBlank)) {
      pieces.push(source.slice(from, at));
      from = at;
    }
    const found = fenceIn(line);
    if (fence === undefined) fence = found;
    else if (found?.isBare === true && found.mark.startsWith(fence.mark)) fence = undefined;
    isAfterBlank = line.trim() === "";
    at += line.length;
    // One line that is longer than any piece. Code that has just ended is as long as it is.
    const isLong = fence === undefined && line.length > LONG_PIECE;
    const end = isLong ? at - 2 * LONG_PIECE : from;
    for (; from < end; from += LONG_PIECE) pieces.push(source.slice(from, from + LONG_PIECE));
  }
  return [...pieces, source.slice(from)];
}

/** Whether a piece of such a length may end before a line. Entries of a list hold what is indented below them, in quotes too. */
function mayEnd(line: string, length: number, isAfterBlank: boolean): boolean {
  if (length <= USUAL_PIECE || line.trim() === "") return length > LONGEST_PIECE;
  const isInner = /^(?:> ?)*[ \t]/.test(line);
  const isBlock = isAfterBlank && !isInner && !/^(?:[-*+]|\d{1,9}[.)])\s/.test(line);
  return isBlock || (length > LONG_PIECE && !isInner) || length > LONGEST_PIECE;
}

/** The beginning or the end of a block of code, in lists and quotes too. */
interface Fence {
  readonly mark: string;
  /** Nothing stands behind it, nor before it but blanks and quotes. */
  readonly isBare: boolean;
  readonly isQuoted: boolean;
  /** Blanks before a line that is still in the entry of a list which the code is in. */
  readonly indent: number;
}

function fenceIn(line: string): Fence | undefined {
  const [, before = "", mark, info = ""] =
    /^((?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(`{3,}|~{3,})(.*)/.exec(line) ?? [];
  if (mark === undefined || (mark.startsWith("`") && info.includes("`"))) return undefined;
  const isBare = info.trim() === "" && /^[\s>]*$/.test(before);
  const entry = /^.*[-*+.)][ \t]/.exec(before)?.[0].length;
  return { mark, isBare, isQuoted: before.includes(">"), indent: entry ?? before.length - 3 };
}

/** Whether a line is behind the quote or the entry of a list that a fence is in, and so behind the code. */
const isBehind = (line: string, { isQuoted, indent }: Fence): boolean =>
  isQuoted ? !/^[ \t]*>/.test(line) : line.trim() !== "" && line.search(/[^ \t]/) < indent;
