import type { FoundPlace } from "../../../core/index.ts";
import type { Term } from "./terms.ts";
import { type IndexedWord, wordsIn } from "./words.ts";

type Excerpt = Pick<FoundPlace, "text" | "marks">;

interface Match {
  readonly term: number;
  readonly start: number;
  readonly end: number;
}

/** Characters of an excerpt, and those before its first mark. */
const LENGTH = 160;
const BEFORE = 40;
/** More matches of a text are not looked at. */
const ENOUGH = 200;

/** The part of a text in which most of the terms stand together; `undefined` when one of them is nowhere in it. */
export function excerptOf(text: string, terms: readonly Term[]): Excerpt | undefined {
  const matches = matchesIn(text, terms);
  if (new Set(matches.map(({ term }) => term)).size < terms.length) return undefined;
  const first = bestOf(matches);
  const from = first.start <= BEFORE ? 0 : wordBegin(text, first.start - BEFORE);
  const to = wordEnd(text, Math.max(from + LENGTH, first.end));
  return assemble(text, { from, to }, matches);
}

function matchesIn(text: string, terms: readonly Term[]): readonly Match[] {
  const longest = Math.max(...terms.map(({ words }) => words.length));
  const recent: IndexedWord[] = [];
  const found: Match[] = [];
  const missing = new Set(terms.keys());
  for (const word of wordsIn(text)) {
    recent.push(word);
    if (recent.length > longest) recent.shift();
    for (const [term, wanted] of terms.entries()) {
      const place = placeOf(wanted, recent);
      if (place === undefined) continue;
      found.push({ term, ...place });
      missing.delete(term);
    }
    if (found.length >= ENOUGH && missing.size === 0) break;
  }
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

/** Where a term stands whose last word is the newest one. */
function placeOf(
  { words, open, single }: Term,
  recent: readonly IndexedWord[],
): { readonly start: number; readonly end: number } | undefined {
  const last = recent.at(-1);
  const wanted = words.at(-1);
  if (last === undefined || wanted === undefined) return undefined;
  if (single) return last.pair === true ? singleIn(last, wanted) : undefined;
  if (open ? !last.word.startsWith(wanted) : last.word !== wanted) return undefined;
  const offset = recent.length - words.length;
  if (offset < 0 || words.some((word, at) => at < words.length - 1 && recent[offset + at]?.word !== word))
    return undefined;
  return { start: recent[offset]?.start ?? last.start, end: last.end };
}

function singleIn(
  { word, start, end }: IndexedWord,
  character: string,
): { readonly start: number; readonly end: number } | undefined {
  const at = word.indexOf(character);
  if (at < 0) return undefined;
  return end - start === word.length
    ? { start: start + at, end: start + at + character.length }
    : { start, end };
}

/** The first match of the stretch in which the most different terms stand. */
function bestOf(matches: readonly Match[]): Match {
  let best = { first: matches[0] ?? { term: 0, start: 0, end: 0 }, terms: 0 };
  for (const [place, first] of matches.entries()) {
    const terms = new Set<number>();
    for (let next = place; next < matches.length; next += 1) {
      const match = matches[next];
      if (match === undefined || match.end > first.start + LENGTH - BEFORE) break;
      terms.add(match.term);
    }
    if (terms.size > best.terms) best = { first, terms: terms.size };
  }
  return best.first;
}

/** The beginning of the first whole word from `from` on, when one begins soon. */
function wordBegin(text: string, from: number): number {
  const blank = text.slice(from, from + BEFORE / 2).search(/\s/);
  if (blank >= 0) return from + blank + 1;
  return isInPair(text, from) ? from + 1 : from;
}

function wordEnd(text: string, to: number): number {
  if (to >= text.length) return text.length;
  const blank = text.slice(to - BEFORE / 2, to).search(/\s\S*$/);
  if (blank > 0) return to - BEFORE / 2 + blank;
  return isInPair(text, to) ? to + 1 : to;
}

const isInPair = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? "");

/** The stretch in one line, with its marks; `…` where text was left out. */
function assemble(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  matches: readonly Match[],
): Excerpt {
  let line = from > 0 ? "…" : "";
  let at = from;
  const marks: [number, number][] = [];
  for (const { start, end } of matches) {
    if (end > to || end <= at || start < from) continue;
    line = joined(line, text.slice(at, Math.max(start, at)));
    const last = marks.at(-1);
    const begin = line.length;
    line = joined(line, text.slice(Math.max(start, at), end));
    // Overlapping pairs of characters are one mark.
    if (last !== undefined && last[1] === begin && start <= at) last[1] = line.length;
    else marks.push([begin, line.length]);
    at = end;
  }
  line = joined(line, text.slice(at, to)).trimEnd();
  return { text: to < text.length ? `${line}…` : line, marks };
}

function joined(line: string, more: string): string {
  const flat = more.replaceAll(/\s+/g, " ");
  return line === "" || line.endsWith(" ") || line === "…" ? line + flat.trimStart() : line + flat;
}
