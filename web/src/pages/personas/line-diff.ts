/** A line of two texts that are compared. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Lines around a change that are shown with it. */
const AROUND = 3;
/** Beyond so many pairs of lines what is between the common ends counts as changed as a whole. */
const MOST_PAIRS = 1_000_000;

/** Compares two texts line by line; without what is far from any change, and empty when they are the same. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before.at(-1 - end) === after.at(-1 - end)
  )
    end += 1;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  if (old.length + now.length === 0) return [];
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [
    ...before.slice(Math.max(0, start - AROUND), start).map(same),
    ...(old.length * now.length > MOST_PAIRS ? wholly(old, now) : closest(old, now)),
    ...before.slice(before.length - end, before.length - end + AROUND).map(same),
  ];
}

const wholly = (old: readonly string[], now: readonly string[]): readonly DiffLine[] => [
  ...old.map((text): DiffLine => ({ kind: "removed", text })),
  ...now.map((text): DiffLine => ({ kind: "added", text })),
];

/** With the longest common subsequence of lines as what stayed. */
function closest(old: readonly string[], now: readonly string[]): readonly DiffLine[] {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (a: number, b: number): number => common[a * width + b] ?? 0;
  for (let a = old.length - 1; a >= 0; a -= 1)
    for (let b = now.length - 1; b >= 0; b -= 1)
      common[a * width + b] = old[a] === now[b] ? at(a + 1, b + 1) + 1 : Math.max(at(a + 1, b), at(a, b + 1));
  const lines: DiffLine[] = [];
  let [a, b] = [0, 0];
  while (a < old.length || b < now.length) {
    const [was, is] = [old[a], now[b]];
    if (was !== undefined && was === is) {
      lines.push({ kind: "same", text: was });
      a += 1;
      b += 1;
    } else if (was !== undefined && (is === undefined || at(a + 1, b) >= at(a, b + 1))) {
      lines.push({ kind: "removed", text: was });
      a += 1;
    } else {
      lines.push({ kind: "added", text: is ?? "" });
      b += 1;
    }
  }
  return lines;
}
