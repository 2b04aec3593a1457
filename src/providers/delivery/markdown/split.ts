import type { Token } from "marked";
import { splitText } from "../split-text.ts";
import { markdownBlocks } from "./lex.ts";

/**
 * Cuts Markdown into parts of at most so many characters, between its blocks where that is possible; code that must be
 * cut is code in each part.
 */
export function splitMarkdown(source: string, limit: number): readonly string[] {
  if (source.length <= limit) return [source];
  const parts: string[] = [];
  let part = "";
  for (const piece of markdownBlocks(source).flatMap((token) => fitting(token, limit))) {
    if (part !== "" && part.length + piece.length > limit) {
      parts.push(part);
      part = "";
    }
    part += piece;
  }
  parts.push(part);
  const said = parts.map((text) => text.trim()).filter((text) => text !== "");
  return said.length === 0 ? [""] : said;
}

/** A block as pieces that each fit. */
function fitting(token: Token, limit: number): readonly string[] {
  const { raw } = token;
  if (raw.length <= limit) return [raw];
  if (token.type !== "code") return splitText(raw, limit - 1).map((piece) => `${piece}\n`);
  const head = `\`\`\`${String(token["lang"] ?? "").slice(0, 20)}\n`;
  const tail = "\n```\n";
  const room = Math.max(1, limit - head.length - tail.length);
  return linesWithin(String(token["text"]), room).map((lines) => `${head}${lines}${tail}`);
}

/** Lines, as many together as fit; a line that is too long by itself is cut. */
function linesWithin(text: string, room: number): readonly string[] {
  const pieces: string[] = [];
  let piece: string | undefined;
  for (const line of text
    .split("\n")
    .flatMap((each) => (each.length <= room ? [each] : splitText(each, room)))) {
    if (piece !== undefined && piece.length + 1 + line.length > room) {
      pieces.push(piece);
      piece = undefined;
    }
    piece = piece === undefined ? line : `${piece}\n${line}`;
  }
  if (piece !== undefined) pieces.push(piece);
  return pieces;
}
