import type { ParsedJoint } from "./command-line.ts";

/** A `cd` that may have worked, or not. */
export interface Entering {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Bounds of what is followed through a line full of `cd`s. */
const MOST_DIRECTORIES = 4;
const LONGEST_PATH = 1024;

export function entering(before: readonly string[], resolve: (cwd: string) => string): Entering {
  const after = before.map(resolve).filter((cwd) => cwd.length <= LONGEST_PATH);
  return { before, after: after.length > 0 ? after : before };
}

/** Where the next command may run: after `&&` the directory was entered, after `||` it was not, else nobody knows. */
export function afterEntering({ before, after }: Entering, joint: ParsedJoint): readonly string[] {
  if (joint === "&&") return after;
  return joint === "||" ? before : [...new Set([...after, ...before])].slice(0, MOST_DIRECTORIES);
}
