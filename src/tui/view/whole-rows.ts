import type { Tokens } from "marked";
import { type LiveText, type Settled, settleList } from "../state/live-text.ts";
import { print, type ViewState } from "../state/view-state.ts";
import { lexMarkdown } from "../text/lex-markdown.ts";
import type { Line } from "../text/line.ts";
import { markdownLines } from "../text/markdown.ts";
import { GUTTER } from "./entry-lines.ts";

/** Rows of an unfinished paragraph or list that stay in the frame; more are printed until so few are left. */
const MOST_ROWS = 8;
const KEPT_ROWS = 4;

/** A mark whose other end may still come, and change how the words behind it look. */
const OPEN_MARK = /[*~`[]|(?<!\w)_|_(?!\w)|<(?=[a-z/!])/i;

/**
 * Hands over for printing what of a long unfinished paragraph or list fills whole rows. A window that becomes smaller
 * pushes what it has no room for into the scrollback, where nobody can take it back: the frame has to be low.
 */
export function printWholeRows(view: ViewState, columns: number): ViewState {
  const { answer } = view;
  const inner = Math.max(8, columns - GUTTER.length);
  // Two columns are the most that a character of the text takes.
  if (answer.fence !== undefined || answer.text.length * 2 < inner * (MOST_ROWS - 1)) return view;
  const { entries, rest } = cutAtRow(answer, inner);
  return rest === answer ? view : { ...print(view, ...entries), answer: rest };
}

function cutAtRow(live: LiveText, inner: number): Settled {
  const all = { entries: [], rest: live };
  const { text } = live;
  const [token, ...others] = lexMarkdown(text);
  if (token === undefined || others.length > 0) return all;
  const rows = markdownLines(text, inner);
  if (rows.length <= MOST_ROWS) return all;
  if (token.type === "list") return settleList(token as Tokens.List, live);
  if (token.type !== "paragraph") return all;
  const open = rows.findIndex(hasOpenMark);
  const count = Math.min(open === -1 ? Infinity : open, rows.length - KEPT_ROWS);
  if (count === 0) return all;
  const end = endOfRows(text, count, inner);
  const [head, rest] = [text.slice(0, end), text.slice(end)];
  const [next, ...more] = lexMarkdown(rest);
  const isSame =
    sameRows(markdownLines(head, inner), rows.slice(0, count)) &&
    sameRows(markdownLines(rest, inner), rows.slice(count));
  if (!isSame || next?.type !== "paragraph" || more.length > 0) return all;
  const entry = { kind: "answer", text: head, continues: live.continues === true } as const;
  return { entries: [entry], rest: { text: rest, continues: true } };
}

/** Where the longest beginning ends that takes no more than so many rows, with whole words. */
function endOfRows(text: string, rows: number, inner: number): number {
  const ends = Array.from(text.matchAll(/\s+/g), ({ index, 0: gap }) => index + gap.length);
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (markdownLines(text.slice(0, ends[middle]), inner).length > rows) high = middle;
    else low = middle + 1;
  }
  return ends[low - 1] ?? 0;
}

const hasOpenMark = (row: Line): boolean =>
  row.some(({ text, styles }) => !styles.includes("code") && OPEN_MARK.test(text));

const sameRows = (some: readonly Line[], others: readonly Line[]): boolean =>
  JSON.stringify(some) === JSON.stringify(others);
