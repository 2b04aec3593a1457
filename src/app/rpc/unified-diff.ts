import type { DiffContent } from "../../core/index.ts";

/** Lines of a diff that are shown, and lines around a change. */
const MOST_LINES = 400;
const AROUND = 3;
/** Steps of the search beyond which a change is shown as a whole. */
const MOST_STEPS = 250;

interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** A change as a unified diff; cut short when it is long. */
export function unifiedDiff({ path, oldText, newText }: DiffContent): string {
  const before = linesOf(oldText ?? "");
  const after = linesOf(newText);
  const lines = changed(before, after);
  const head = [oldText === null ? "--- /dev/null" : `--- a${path}`, `+++ b${path}`];
  const shown = hunks(lines);
  if (shown.length === 0) return "";
  const rest = shown.length - MOST_LINES;
  return [...head, ...shown.slice(0, MOST_LINES), ...(rest > 0 ? [`… ${rest} more lines`] : [])].join("\n");
}

const linesOf = (text: string): readonly string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/** Every line of both texts: kept, taken out, put in. */
function changed(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const kept = (lines: readonly string[]): Line[] => lines.map((text) => ({ mark: " ", text }));
  return [
    ...kept(before.slice(0, start)),
    ...shortest(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...kept(before.slice(before.length - end)),
  ];
}

/** The fewest lines in and out, found by Myers' greedy search; all out and all in when it takes too long. */
function shortest(a: readonly string[], b: readonly string[]): readonly Line[] {
  if (a.length === 0 || b.length === 0) return wholly(a, b);
  const trace: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let steps = 0; steps <= Math.min(a.length + b.length, MOST_STEPS); steps += 1) {
    trace.push(new Map(reach));
    for (let k = -steps; k <= steps; k += 2) {
      let x = fromAbove(reach, k, steps) ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(trace, a, b);
    }
    reach = new Map(reach);
  }
  return wholly(a, b);
}

const wholly = (a: readonly string[], b: readonly string[]): readonly Line[] => [
  ...a.map((text): Line => ({ mark: "-", text })),
  ...b.map((text): Line => ({ mark: "+", text })),
];

const fromAbove = (reach: ReadonlyMap<number, number>, k: number, steps: number): boolean =>
  k === -steps || (k !== steps && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));

function walkBack(
  trace: readonly ReadonlyMap<number, number>[],
  a: readonly string[],
  b: readonly string[],
): readonly Line[] {
  const lines: Line[] = [];
  let [x, y] = [a.length, b.length];
  for (let steps = trace.length - 1; steps >= 0; steps -= 1) {
    const reach = trace[steps] ?? new Map<number, number>();
    const k = x - y;
    const above = fromAbove(reach, k, steps);
    const previousK = above ? k + 1 : k - 1;
    const previousX = reach.get(previousK) ?? 0;
    const previousY = previousX - previousK;
    while (x > Math.max(previousX, 0) && y > Math.max(previousY, 0)) {
      x -= 1;
      y -= 1;
      lines.push({ mark: " ", text: a[x] ?? "" });
    }
    if (steps === 0) break;
    if (above) lines.push({ mark: "+", text: b[(y -= 1)] ?? "" });
    else lines.push({ mark: "-", text: a[(x -= 1)] ?? "" });
  }
  return lines.reverse();
}

/** Changes with the lines around them, each group under a line that says where it is. */
function hunks(lines: readonly Line[]): readonly string[] {
  const near = lines.map((_line, at) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(({ mark }) => mark !== " "),
  );
  const shown: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (const [at, { mark, text }] of lines.entries()) {
    if (near[at] === true) {
      if (near[at - 1] !== true) shown.push(hunkHead(lines, near, { at, oldLine, newLine }));
      shown.push(`${mark}${text}`);
    }
    if (mark !== "+") oldLine += 1;
    if (mark !== "-") newLine += 1;
  }
  return shown;
}

function hunkHead(
  lines: readonly Line[],
  near: readonly boolean[],
  { at, oldLine, newLine }: { readonly at: number; readonly oldLine: number; readonly newLine: number },
): string {
  const past = near.indexOf(false, at);
  const group = lines.slice(at, past < 0 ? lines.length : past);
  const count = (other: Line["mark"]): number => group.filter(({ mark }) => mark !== other).length;
  const range = (line: number, length: number): string => `${length === 0 ? line - 1 : line},${length}`;
  return `@@ -${range(oldLine, count("+"))} +${range(newLine, count("-"))} @@`;
}
