import type { Token, Tokens } from "marked";
import { lexMarkdown } from "../text/lex-markdown.ts";
import { languageOf } from "../text/markdown.ts";
import type { Entry } from "./entry.ts";

interface Fence {
  readonly language: string;
  /** What it begins and ends with. */
  readonly mark: string;
}

/** The end of an answer that streams: what may still change by what follows. */
export interface LiveText {
  readonly text: string;
  /** The text goes on in a block of code. */
  readonly fence?: Fence;
  /** The beginning of the block that the text is in is printed. */
  readonly continues?: boolean;
}

export const NO_TEXT: LiveText = { text: "" };

/** Lines of an unfinished block of code or list that are kept back; what is above them is printed. */
const KEPT_LINES = 6;
/** An unfinished block over this is printed in parts, whatever it is: the work per frame must not grow with it. */
const LONGEST_BLOCK = 16_000;

/** Characters of an entry: no frame is held up by one that is long. */
const DRAWN_AT_ONCE = 4000;

/** Characters that are read as markdown at once; more than the longest block. */
const READ_AT_ONCE = 24_000;

/** A text that is settled, and the rest that may still change. */
export interface Settled {
  readonly entries: readonly Entry[];
  readonly rest: LiveText;
}

/**
 * Splits a streaming text where nothing that follows can change what stands before: after whole blocks, after whole
 * lines of code, after whole items of long lists.
 */
export function settle(live: LiveText): Settled {
  const entries: Entry[] = [];
  let rest = live;
  for (;;) {
    const step = settleStep(rest);
    entries.push(...step.entries);
    if (step.rest === rest) return { entries, rest };
    rest = step.rest;
  }
}

/** One step of it, on no more text than is quickly read. */
function settleStep(live: LiveText): Settled {
  const { text } = live;
  const head = { ...live, text: text.slice(0, READ_AT_ONCE) };
  const { entries, rest } = head.fence === undefined ? settleBlocks(head) : settleFence(head, head.fence);
  if (rest === head) return { entries, rest: live };
  return { entries, rest: { ...rest, text: rest.text + text.slice(READ_AT_ONCE) } };
}

/** The same when nothing follows any more. */
export function settleAll(live: LiveText): readonly Entry[] {
  const { entries, rest } = settle(live);
  if (rest.text.trim() === "") return entries;
  const end =
    rest.fence === undefined
      ? entriesOf(lexMarkdown(rest.text), rest)
      : codeParts(withoutEnd(rest.text, rest.fence), rest);
  return [...entries, ...end];
}

const answer = (text: string, { continues = false }: LiveText): Entry => ({
  kind: "answer",
  text,
  continues,
});

const code = (text: string, { fence, continues = false }: LiveText): Entry => ({
  kind: "code",
  text,
  language: fence?.language ?? "",
  continues,
});

function settleBlocks(live: LiveText): Settled {
  const tokens = lexMarkdown(live.text);
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const before = tokens.slice(0, Math.max(0, last));
  const length = rawOf(before).length;
  if (before.every(({ type }) => type === "space")) return settleLast(tokens[last], live);
  return { entries: entriesOf(before, live), rest: { text: live.text.slice(length) } };
}

/** Blocks as entries that are quickly drawn: together while they are short, in parts when one is long. */
function entriesOf(tokens: readonly Token[], live: LiveText): readonly Entry[] {
  const entries: Entry[] = [];
  let text = "";
  const flush = (): void => {
    if (text.trim() !== "") entries.push(answer(text, entries.length === 0 ? live : NO_TEXT));
    text = "";
  };
  for (const token of tokens) {
    if (text.length + token.raw.length > DRAWN_AT_ONCE) flush();
    if (token.raw.length <= DRAWN_AT_ONCE) text += token.raw;
    else entries.push(...partsOf(token, entries.length === 0 ? live : NO_TEXT));
  }
  flush();
  return entries;
}

/** A block that is too long to be drawn at once: code by its lines, anything else as it can be cut. */
function partsOf(token: Token, live: LiveText): readonly Entry[] {
  const isCode = token.type === "code";
  const text = isCode ? (token as Tokens.Code).text : token.raw;
  const fence = isCode ? { language: languageOf((token as Tokens.Code).lang), mark: "" } : undefined;
  const pieces = cutLines(text.replace(/\n+$/, ""));
  return pieces.map((piece, index) => {
    const at = { text: "", continues: index > 0 || live.continues === true };
    return fence === undefined ? answer(piece, at) : code(piece, { ...at, fence });
  });
}

/** Whole lines together, as many as are drawn at once. */
function cutLines(text: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > DRAWN_AT_ONCE) {
    const end = text.lastIndexOf("\n", from + DRAWN_AT_ONCE);
    const to = end > from ? end : from + DRAWN_AT_ONCE;
    pieces.push(text.slice(from, to));
    from = text[to] === "\n" ? to + 1 : to;
  }
  return [...pieces, text.slice(from)];
}

const rawOf = (tokens: readonly { readonly raw: string }[]): string => tokens.map(({ raw }) => raw).join("");

/** The last block is still growing. */
function settleLast(token: Token | undefined, live: LiveText): Settled {
  const { text } = live;
  if (token === undefined || text.length < KEPT_LINES * 2) return { entries: [], rest: live };
  const long = text.split("\n", KEPT_LINES * 2 + 1).length > KEPT_LINES * 2;
  const opening = /^\s*?( {0,3})(`{3,}(?!`)|~{3,}(?!~))([^\n]*)\n/.exec(text);
  if (long && token.type === "code" && opening !== null) {
    const [whole, , mark = "", info] = opening;
    return {
      entries: [],
      rest: { text: text.slice(whole.length), fence: { language: languageOf(info), mark } },
    };
  }
  const items = long && token.type === "list" ? settleList(token as Tokens.List, live) : undefined;
  if (items !== undefined && items.rest !== live) return items;
  return text.length > LONGEST_BLOCK ? cutBlock(live) : { entries: [], rest: live };
}

/** Prints the whole lines of a long block of code, and its end when it is there. */
function settleFence(live: LiveText, fence: Fence): Settled {
  const { text } = live;
  const end = endOf(text, fence);
  if (end !== undefined) {
    const body = text.slice(0, end.from).replace(/\n$/, "");
    return { entries: body === "" ? [] : codeParts(body, live), rest: { text: text.slice(end.to) } };
  }
  const lines = text.split("\n");
  const settled = lines.slice(0, -KEPT_LINES);
  if (settled.length > 0)
    return {
      entries: codeParts(settled.join("\n"), live),
      rest: { text: lines.slice(-KEPT_LINES).join("\n"), fence, continues: true },
    };
  if (text.length <= LONGEST_BLOCK) return { entries: [], rest: live };
  return { entries: [code(text, live)], rest: { text: "", fence, continues: true } };
}

const codeParts = (text: string, live: LiveText): readonly Entry[] =>
  cutLines(text).map((part, index) => code(part, index === 0 ? live : { ...live, continues: true }));

/** The line that closes a block of code; one that is still being written may become something else. */
function endOf(text: string, { mark }: Fence): { readonly from: number; readonly to: number } | undefined {
  const end = new RegExp(`^ {0,3}${mark}[${mark.charAt(0)}]*[ \\t]*\\n`, "m").exec(text);
  return end === null ? undefined : { from: end.index, to: end.index + end[0].length };
}

function withoutEnd(text: string, { mark }: Fence): string {
  const trimmed = text.trimEnd();
  const last = trimmed.slice(trimmed.lastIndexOf("\n") + 1).trim();
  return (last.startsWith(mark) ? trimmed.slice(0, -last.length) : text).replace(/\n$/, "");
}

/** Prints the items of a long list that are whole. */
export function settleList({ items }: Tokens.List, live: LiveText): Settled {
  const before = rawOf(items.slice(0, -1));
  if (before === "" || !live.text.startsWith(before)) return { entries: [], rest: live };
  return { entries: [answer(before, live)], rest: { text: live.text.slice(before.length), continues: true } };
}

/** A paragraph without an end, or a table of thousands of rows. */
function cutBlock(live: LiveText): Settled {
  const { text } = live;
  const at = Math.max(text.lastIndexOf("\n"), text.lastIndexOf(" ")) + 1 || text.length;
  return { entries: [answer(text.slice(0, at), live)], rest: { text: text.slice(at), continues: true } };
}
