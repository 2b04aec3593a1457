import type { DiffContent } from "../../core/index.ts";

/** Lines around a change that help to find its place. */
const CONTEXT = 3;

/** A change of one file as `git diff` would write it, in one hunk from the first changed line to the last. */
export function gitPatch({ path, oldText, newText }: Omit<DiffContent, "type">): string {
  const name = path.replace(/^\//, "");
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  const head = [
    `diff --git ${quoted(`a/${name}`)} ${quoted(`b/${name}`)}`,
    ...(oldText === null ? ["new file mode 100644"] : []),
    `--- ${oldText === null ? "/dev/null" : quoted(`a/${name}`)}`,
    `+++ ${quoted(`b/${name}`)}`,
  ];
  const first = sameAtStart(before, after);
  const last = sameAtEnd(before.slice(first), after.slice(first));
  if (first === before.length && first === after.length) return `${head.slice(0, -2).join("\n")}\n`;
  const from = Math.max(0, first - CONTEXT);
  const oldTo = Math.min(before.length, before.length - last + CONTEXT);
  const newTo = Math.min(after.length, after.length - last + CONTEXT);
  const hunk = [
    `@@ -${range(from, oldTo)} +${range(from, newTo)} @@`,
    ...before.slice(from, first).map((line) => marked(" ", line)),
    ...before.slice(first, before.length - last).map((line) => marked("-", line)),
    ...after.slice(first, after.length - last).map((line) => marked("+", line)),
    ...before.slice(before.length - last, oldTo).map((line) => marked(" ", line)),
  ];
  return `${[...head, ...hunk].join("\n")}\n`;
}

/** Lines with their ends; the last may have none. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const marked = (sign: string, line: string): string =>
  line.endsWith("\n") ? sign + line.slice(0, -1) : `${sign}${line}\n\\ No newline at end of file`;

/** Where a hunk begins, counted from 1, and how many lines it has; an empty one stands after the line it names. */
const range = (from: number, to: number): string =>
  to === from ? `${from},0` : `${from + 1}${to - from === 1 ? "" : `,${to - from}`}`;

function sameAtStart(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count += 1;
  return count;
}

const sameAtEnd = (one: readonly string[], other: readonly string[]): number =>
  sameAtStart(one.toReversed(), other.toReversed());

/** Names with signs that would end them are written as git writes them. */
const quoted = (name: string): string =>
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /["\\\u0000-\u001F]/.test(name) ? JSON.stringify(name) : name;
