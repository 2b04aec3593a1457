import { firstBraceGroup } from "../../../shared/text/brace-group.ts";

/** One character of a name: itself, any (`?`), any number of any (`*`), or one of a class. */
type Token =
  | { readonly kind: "char"; readonly char: string }
  | { readonly kind: "any" }
  | { readonly kind: "star" }
  | {
      readonly kind: "class";
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

/** A pattern for names of a path; `null` stands for `**`. */
export type Glob = readonly (readonly Token[] | null)[];

/** Reads a pattern of names joined by slashes, as git understands it. */
export function parseGlob(pattern: string): Glob {
  const parts = pattern.split("/").map((name) => (name === "**" ? null : parseName(name)));
  // `a/**` is what lies in `a`, not `a` itself.
  return parts.length > 1 && parts.at(-1) === null
    ? [...parts.slice(0, -1), [{ kind: "star" }], null]
    : parts;
}

function parseName(name: string): readonly Token[] {
  const tokens: Token[] = [];
  // Once a class has no end, those behind it have none either.
  let hasEnds = true;
  for (let at = 0; at < name.length; at += 1) {
    const char = name.charAt(at);
    if (char === "*") {
      if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
    } else if (char === "?") tokens.push({ kind: "any" });
    else if (char === "[") {
      const found: ReturnType<typeof parseClass> = hasEnds ? parseClass(name, at) : undefined;
      hasEnds = found !== undefined;
      tokens.push(found?.token ?? { kind: "char", char });
      at = found?.end ?? at;
    } else if (char === "\\" && at + 1 < name.length) {
      at += 1;
      tokens.push({ kind: "char", char: name.charAt(at) });
    } else tokens.push({ kind: "char", char });
  }
  return tokens;
}

function parseClass(
  name: string,
  start: number,
): { readonly token: Token; readonly end: number } | undefined {
  let at = start + 1;
  const negated = name.charAt(at) === "!" || name.charAt(at) === "^";
  if (negated) at += 1;
  const ranges: (readonly [string, string])[] = [];
  for (let first = true; at < name.length; first = false) {
    if (name.charAt(at) === "]" && !first) return { token: { kind: "class", negated, ranges }, end: at };
    if (name.charAt(at) === "\\") at += 1;
    const low = name.charAt(at);
    at += 1;
    if (name.charAt(at) !== "-" || name.charAt(at + 1) === "]" || at + 1 >= name.length)
      ranges.push([low, low]);
    else {
      at += name.charAt(at + 1) === "\\" ? 2 : 1;
      ranges.push([low, name.charAt(at)]);
      at += 1;
    }
  }
  return undefined;
}

/** Whether names fit a pattern. The time is bounded by the product of both lengths, whatever the pattern says. */
export function matchGlob(glob: Glob, names: readonly string[]): boolean {
  return matchSequence(glob, names, matchName);
}

function matchName(tokens: readonly Token[], name: string): boolean {
  const parts = tokens.map((token) => (token.kind === "star" ? null : token));
  return matchSequence(parts, name.split(""), matchChar);
}

/** `null` fits any number of items. On a misfit only the last one of these is tried with one item more. */
function matchSequence<Part, Item>(
  parts: readonly (Part | null)[],
  items: readonly Item[],
  fits: (part: Part, item: Item) => boolean,
): boolean {
  let part = 0;
  let item = 0;
  let retry: { readonly part: number; item: number } | undefined;
  while (item < items.length) {
    const [current, next] = [parts[part], items[item]];
    if (current === null) {
      retry = { part, item };
      part += 1;
    } else if (current !== undefined && next !== undefined && fits(current, next)) {
      part += 1;
      item += 1;
    } else if (retry === undefined) return false;
    else {
      retry.item += 1;
      part = retry.part + 1;
      item = retry.item;
    }
  }
  return parts.slice(part).every((rest) => rest === null);
}

function matchChar(token: Token, char: string): boolean {
  switch (token.kind) {
    case "char":
      return token.char === char;
    case "any":
    case "star":
      return true;
    case "class":
      return token.ranges.some(([low, high]) => low <= char && char <= high) !== token.negated;
  }
}

const MOST_PATTERNS = 64;

/** Nobody writes a longer pattern by hand: what is in its braces is not looked at. */
const LONGEST_PATTERN = 2000;

/** The patterns that one with `{a,b}` stands for. */
export function expandAlternatives(pattern: string): readonly string[] {
  if (pattern.length > LONGEST_PATTERN) return [pattern];
  const expanded: string[] = [];
  const open = [pattern];
  while (expanded.length < MOST_PATTERNS) {
    const next = open.pop();
    if (next === undefined) break;
    const group = firstBraceGroup(next);
    if (group === undefined) expanded.push(next);
    else {
      const [before, after] = [next.slice(0, group.start), next.slice(group.end + 1)];
      const items = next.slice(group.start + 1, group.end).split(",", MOST_PATTERNS);
      open.push(...items.map((item) => `${before}${item}${after}`).toReversed());
    }
  }
  return expanded;
}
