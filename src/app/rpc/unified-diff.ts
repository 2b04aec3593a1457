import { structuredPatch, type StructuredPatchHunk } from "diff";
import type { DiffContent } from "../../core/index.ts";

/** Lines of a diff that are shown, and lines around a change. */
const MOST_LINES = 400;
const AROUND = 3;
/** Lines in and out beyond which the fewest are not searched for: the search takes quadratic time. */
const MOST_EDITS = 250;

/** A change as a unified diff; cut short when it is long. @param most - lines; 400 by default */
export function unifiedDiff({ path, oldText, newText }: DiffContent, most = MOST_LINES): string {
  const shown = hunksOf(linesOf(oldText ?? ""), linesOf(newText)).flatMap((hunk) => [
    headOf(hunk),
    ...hunk.lines,
  ]);
  if (shown.length === 0) return "";
  const files = [oldText === null ? "--- /dev/null" : `--- a${path}`, `+++ b${path}`];
  const rest = shown.length - most;
  return [...files, ...shown.slice(0, most), ...(rest > 0 ? [`… ${rest} more lines`] : [])].join("\n");
}

/** A last line without its end is a line like the others. */
const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

function headOf({ oldStart, oldLines, newStart, newLines }: StructuredPatchHunk): string {
  const range = (line: number, length: number): string => `${length === 0 ? line - 1 : line},${length}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

/** Searches between the first and the last difference only: most changes of large files are small. */
function hunksOf(before: readonly string[], after: readonly string[]): readonly StructuredPatchHunk[] {
  const room = Math.min(before.length, after.length);
  let start = 0;
  while (start < room && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < room - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const first = Math.max(0, start - AROUND);
  const past = Math.max(0, end - AROUND);
  const oldLines = before.slice(first, before.length - past);
  const newLines = after.slice(first, after.length - past);
  const [oldText, newText] = [oldLines, newLines].map((lines) => lines.map((line) => `${line}\n`).join(""));
  const options = { context: AROUND, maxEditLength: MOST_EDITS };
  const patch = structuredPatch("", "", oldText ?? "", newText ?? "", "", "", options);
  const whole = { oldStart: 1, oldLines: oldLines.length, newStart: 1, newLines: newLines.length };
  const hunks = patch?.hunks ?? [
    { ...whole, lines: allReplaced(oldLines, newLines, { head: start - first, tail: end - past }) },
  ];
  return hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + first,
    newStart: hunk.newStart + first,
  }));
}

/** All lines taken out and put in, but for those around them. */
function allReplaced(
  before: readonly string[],
  after: readonly string[],
  { head, tail }: { readonly head: number; readonly tail: number },
): string[] {
  return [
    ...before.slice(0, head).map((line) => ` ${line}`),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(before.length - tail).map((line) => ` ${line}`),
  ];
}
