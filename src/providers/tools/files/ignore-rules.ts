import { expandAlternatives, matchGlob, parseGlob, type Glob } from "./glob.ts";

interface Rule {
  readonly glob: Glob;
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
}

/** The rules of one `.gitignore` on top of those of the directories above it. */
export interface IgnoreRules {
  readonly rules: readonly Rule[];
  /** How many names lie between the walk's beginning and this file's directory. */
  readonly depth: number;
  readonly above?: IgnoreRules;
}

/** Longer files are read up to here: nobody wrote them by hand. */
const MOST_RULES = 10_000;

export function parseIgnoreFile(text: string): readonly Rule[] {
  return text
    .split("\n")
    .slice(0, MOST_RULES)
    .map(parseLine)
    .filter((rule) => rule !== undefined);
}

function parseLine(line: string): Rule | undefined {
  // Blanks at the end count only behind a backslash.
  const text = withoutBlanks(line.replace(/\r$/, ""));
  if (text === "" || text.startsWith("#")) return undefined;
  const negated = text.startsWith("!");
  const pattern = negated ? text.slice(1) : text;
  const directoriesOnly = pattern.endsWith("/");
  const names = directoriesOnly ? pattern.slice(0, -1) : pattern;
  return names === "" ? undefined : { glob: parseAnchored(names), negated, directoriesOnly };
}

function withoutBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === " " || line[end - 1] === "\t")) end -= 1;
  return line.slice(0, end < line.length && line[end - 1] === "\\" ? end + 1 : end);
}

/** A pattern without a slash fits at any depth, one with a slash from its file's directory on. */
function parseAnchored(pattern: string): Glob {
  return parseGlob(pattern.includes("/") ? pattern.replace(/^\//, "") : `**/${pattern}`);
}

/**
 * Whether git would ignore an entry of a directory that it does not ignore itself.
 *
 * @param names - the entry's names from the walk's beginning
 */
export function isIgnored(
  ignore: IgnoreRules | undefined,
  names: readonly string[],
  isDirectory: boolean,
): boolean {
  for (let file = ignore; file !== undefined; file = file.above) {
    const below = names.slice(file.depth);
    const rule = file.rules.findLast(
      ({ glob, directoriesOnly }) => (isDirectory || !directoriesOnly) && matchGlob(glob, below),
    );
    if (rule !== undefined) return !rule.negated;
  }
  return false;
}

/** A filter for files as people write it: `*.ts`, `src/**`, `*.{js,ts}`, `!*.test.ts`. */
export function parseFilter(pattern: string): (names: readonly string[]) => boolean {
  const negated = pattern.startsWith("!");
  const globs = expandAlternatives(negated ? pattern.slice(1) : pattern).map(parseAnchored);
  return (names) => globs.some((glob) => matchGlob(glob, names)) !== negated;
}
