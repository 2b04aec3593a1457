import { marked, type Token, type Tokens } from "marked";
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

/** What is settled of a text, and the rest that may still change. */
interface Settled {
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
    const step = rest.fence === undefined ? settleBlocks(rest) : settleFence(rest, rest.fence);
    entries.push(...step.entries);
    if (step.rest === rest) return { entries, rest };
    rest = step.rest;
  }
}

/** The same when nothing follows any more. */
export function settleAll(live: LiveText): readonly Entry[] {
  const { entries, rest } = settle(live);
  if (rest.text.trim() === "") return entries;
  const end =
    rest.fence === undefined ? answer(rest.text, rest) : code(withoutEnd(rest.text, rest.fence), rest);
  return [...entries, end];
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
  const tokens = marked.lexer(live.text);
  const last = tokens.findLastIndex(({ type }) => type !== "space");
  const before = rawOf(tokens.slice(0, Math.max(0, last)));
  if (before.trim() !== "")
    return { entries: [answer(before, live)], rest: { text: live.text.slice(before.length) } };
  return settleLast(tokens[last], live);
}

const rawOf = (tokens: readonly { readonly raw: string }[]): string => tokens.map(({ raw }) => raw).join("");

/** The last block is still growing. */
function settleLast(token: Token | undefined, live: LiveText): Settled {
  const { text } = live;
  if (token === undefined || text.length < KEPT_LINES * 2) return { entries: [], rest: live };
  const long = text.split("\n", KEPT_LINES * 2 + 1).length > KEPT_LINES * 2;
  const opening = /^\s*?( {0,3})(`{3,}|~{3,})([^\n]*)\n/.exec(text);
  if (long && token.type === "code" && opening !== null) {
    const [whole, , mark = "", info] = opening;
    return {
      entries: [],
      rest: { text: text.slice(whole.length), fence: { language: languageOf(info), mark } },
    };
  }
  if (long && token.type === "list") return settleList(token as Tokens.List, live);
  return text.length > LONGEST_BLOCK ? cutBlock(live) : { entries: [], rest: live };
}

/** Prints the whole lines of a long block of code, and its end when it is there. */
function settleFence(live: LiveText, fence: Fence): Settled {
  const { text } = live;
  const end = endOf(text, fence);
  if (end !== undefined) {
    const body = text.slice(0, end.from).replace(/\n$/, "");
    return { entries: body === "" ? [] : [code(body, live)], rest: { text: text.slice(end.to) } };
  }
  const lines = text.split("\n");
  const settled = lines.slice(0, -KEPT_LINES);
  if (settled.length > 0)
    return {
      entries: [code(settled.join("\n"), live)],
      rest: { text: lines.slice(-KEPT_LINES).join("\n"), fence, continues: true },
    };
  if (text.length <= LONGEST_BLOCK) return { entries: [], rest: live };
  return { entries: [code(text, live)], rest: { text: "", fence, continues: true } };
}

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
function settleList({ items }: Tokens.List, live: LiveText): Settled {
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
