import type { Token, Tokens } from "marked";
import {
  type Container,
  lengthWithin,
  listEntryOf,
  OpenedContainers,
  type OpenList,
  QUOTE_WIDTH,
  widthOf,
} from "./containers.ts";
import { markdownBlocks } from "./lex.ts";
import { type LongCode, splitCode } from "./split-code.ts";
import { betweenLines, splitProse } from "./split-prose.ts";

/**
 * Cuts Markdown into parts of at most so many characters, between its blocks where that is possible: also between those
 * in lists and quotes. Code that must be cut is code in each part.
 */
export function splitMarkdown(source: string, limit: number): readonly string[] {
  if (source.length <= limit) return [source];
  const packing = new Packing(limit);
  for (const token of markdownBlocks(source))
    if (token.raw.length <= limit) packing.add({ text: token.raw, path: [], isRaw: true });
    else for (const piece of fitting(token, [], limit)) packing.add(piece);
  return packing.parts();
}

/** A piece of Markdown that fits into one part. */
interface Piece {
  readonly text: string;
  /** What it is in, from the outside. */
  readonly path: readonly Container[];
  /** An entry that is whole: in a list without empty lines none stands before it. */
  readonly list?: OpenList;
  /** As it was written, with the empty lines behind it. */
  readonly isRaw?: true;
}

/** A block as pieces that each fit. */
function fitting(token: Token, inside: readonly Container[], limit: number): readonly Piece[] {
  // In what is so deep that hardly any room is left, blocks stand for themselves.
  const path = widthOf(inside) * 4 > limit ? [] : inside;
  const width = widthOf(path);
  if (token.type === "space") return [];
  if (token.type === "code") {
    const code = { raw: token.raw, text: String(token["text"]), info: String(token["lang"] ?? "") };
    return codePieces(code, path, limit);
  }
  const text = token.raw.replace(/^\n+/, "").trimEnd();
  // The parser's own types: a token that it calls so is one.
  if (token.type === "list" && path.length < MOST_CONTAINERS)
    return listPieces(token as Tokens.List, path, limit);
  if (lengthWithin(text, width) <= limit) return [{ text, path }];
  if (token.type === "blockquote" && path.length < MOST_CONTAINERS) {
    const within = [...path, { width: QUOTE_WIDTH }];
    return (token.tokens ?? []).flatMap((each) => fitting(each, within, limit));
  }
  return prosePieces(text, path, { limit });
}

/** Beyond as many, what is in them is cut as text. */
const MOST_CONTAINERS = 50;

function listPieces(list: Tokens.List, path: readonly Container[], limit: number): readonly Piece[] {
  const { items, ordered, start, loose } = list;
  const open: OpenList = { tight: !loose, ordered };
  const first = start === "" ? 1 : start;
  return items.flatMap((item, index) => {
    const within = [...path, listEntryOf(open, item, first + index)];
    const box = item.task ? `[${item.checked === true ? "x" : " "}] ` : "";
    const text = `${box}${item.text}`.trimEnd();
    if (widthOf(within) * 4 <= limit && lengthWithin(text, widthOf(within)) <= limit)
      return [{ text, path: within, list: open }];
    return contentOf(item).flatMap((each) => fitting(each, within, limit));
  });
}

/** The blocks of an entry; its box belongs to the first. */
function contentOf({ tokens }: Tokens.ListItem): readonly Token[] {
  const [first, second, ...others] = tokens;
  if (first?.type !== "checkbox") return tokens;
  return second === undefined ? [first] : [{ ...second, raw: `${first.raw}${second.raw}` }, ...others];
}

function codePieces(code: LongCode, path: readonly Container[], limit: number): readonly Piece[] {
  const pieces = splitCode(code, { limit, width: widthOf(path) });
  if (pieces.length > 0) return pieces.map((text) => ({ text, path }));
  return path.length > 0 ? codePieces(code, [], limit) : prosePieces(code.raw, path, { limit });
}

/** @param room - characters of a piece; less than the limit where a span of code has many lines, which take more than their share */
function prosePieces(
  text: string,
  path: readonly Container[],
  { limit, room = limit }: { readonly limit: number; readonly room?: number },
): readonly Piece[] {
  const width = widthOf(path);
  return splitProse(text, Math.max(2, room - width))
    .flatMap((piece) => betweenLines(piece, { limit, width }))
    .flatMap((piece) =>
      lengthWithin(piece, width) <= limit || room < 4
        ? [{ text: piece, path }]
        : prosePieces(piece, path, { limit, room: Math.floor(room / 2) }),
    );
}

/** Parts that are being filled. */
class Packing {
  readonly #limit: number;
  readonly #done: string[] = [];
  /** Containers whose beginnings are in the parts. */
  readonly #begun = new Set<Container>();
  #opened = new OpenedContainers();
  #part = "";
  #last: Piece | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(piece: Piece): void {
    const isBlank = piece.text.trim() === "";
    if (isBlank && (this.#last === undefined || this.#last.isRaw !== true)) return;
    const opened = new OpenedContainers(this.#opened);
    const next = `${this.#part}${this.#between(piece, opened)}${this.#written(piece, opened)}`;
    if (this.#last === undefined || next.length <= this.#limit) {
      this.#part = next;
      this.#opened = opened;
    } else {
      this.#end();
      if (isBlank) return;
      this.#part = this.#written(piece, this.#opened);
    }
    this.#last = piece;
    for (const container of piece.path) this.#begun.add(container);
  }

  parts(): readonly string[] {
    this.#end();
    return this.#done.length === 0 ? [""] : this.#done;
  }

  #end(): void {
    // Blanks before the first line may make code of it.
    const part = this.#part.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
    if (part.trim() !== "") this.#done.push(part);
    [this.#part, this.#opened, this.#last] = ["", new OpenedContainers(), undefined];
  }

  #between(piece: Piece, opened: OpenedContainers): string {
    const last = this.#last;
    if (last === undefined || (last.isRaw === true && piece.isRaw === true)) return "";
    if (last.list !== undefined && last.list === piece.list && last.list.tight) return "\n";
    const line = opened.between(last.path, piece.path);
    if (last.isRaw !== true) return `\n${line}\n`;
    return "\n".repeat(2 - Math.min(2, /\n*$/.exec(this.#part)?.[0].length ?? 0));
  }

  #written({ text, path, isRaw }: Piece, opened: OpenedContainers): string {
    const { head, rest } = opened.enter(path, this.#begun);
    if (isRaw === true || (head === "" && rest === "")) return text;
    return text
      .split("\n")
      .map((line, index) => {
        const before = index === 0 ? head : rest;
        return line === "" && index > 0 ? before.trimEnd() : `${before}${line}`;
      })
      .join("\n");
  }
}
