import { forTerminal } from "../terminal/terminal-text.ts";
import { hanging, type Line, type Span, span, type Style } from "./line.ts";
import { characters, width } from "./width.ts";

const TAB = "    ";
/**
 * The parts of a long word: each ends with the mark that parts it from the next. What a word begins with, such as the slash of
 * the root, is no part without its name, also behind the sign of an option.
 */
const PARTS =
  /(?:^[/\\\-_;?&=@#+]+|(?<==)\/+)?[^/\\\-_;?&=@#+]+(?:=(?=\/)|[/\\\-_;?&=@#+]+)?|[/\\\-_;?&=@#+]+/g;

/** The width of the longest part of a text that is not broken when there is any other way. */
export const longestPart = (text: string): number =>
  (clean(text).match(/[^ \n]+/g) ?? []).reduce((most, word) => Math.max(most, width(word)), 0);

/** The same when words are broken behind the marks that part them. */
export const longestMarkedPart = (text: string): number =>
  (clean(text).match(/[^ \n]+/g) ?? [])
    .flatMap((word) => word.match(PARTS) ?? [word])
    .reduce((most, part) => Math.max(most, width(part)), 0);

/** Text as lines of at most so many columns: broken between words, and within words that are longer than a line. */
export function wrap(text: string, columns: number, ...styles: readonly Style[]): readonly Line[] {
  return wrapSpans([span(text, ...styles)], columns);
}

/** The same for text in several looks; line breaks in it stay. */
export function wrapSpans(spans: readonly Span[], columns: number): readonly Line[] {
  return wrapped(spans, columns, (wrapper, { text, styles }) => {
    for (const word of text.match(/ +|[^ ]+/g) ?? []) wrapper.add(word, styles);
  });
}

/** Text whose spaces matter, as code and output: its lines are broken at the last column, not between words. */
export function wrapExact(spans: readonly Span[], columns: number): readonly Line[] {
  return wrapped(spans, columns, (wrapper, { text, styles }) => wrapper.fill(text, styles));
}

function wrapped(spans: readonly Span[], columns: number, add: (wrapper: Wrapper, part: Span) => void) {
  const wrapper = new Wrapper(Math.max(1, columns));
  for (const { text, styles } of spans) {
    for (const [index, part] of clean(text).split("\n").entries()) {
      if (index > 0) wrapper.break();
      add(wrapper, { text: part, styles });
    }
  }
  return wrapper.lines();
}

const clean = (text: string): string => forTerminal(text).replaceAll("\t", TAB);

/** A gap of columns within a line of plain text, as lists of commands have. */
const COLUMN = /^( *\S+(?: \S+)* {2,})(?=\S)/;

/**
 * Plain text that is meant for reading, with its own indents: broken between words, and what goes on in the next line
 * stands under the column in which it began.
 */
export function wrapColumns(text: string, columns: number): readonly Line[] {
  return clean(text)
    .split("\n")
    .flatMap((each) => {
      const lead = COLUMN.exec(each)?.[1] ?? /^ */.exec(each)?.[0] ?? "";
      const taken = width(lead);
      if (taken === 0 || taken > columns / 2) return wrap(each, columns);
      return hanging(wrap(each.slice(lead.length), columns - taken), span(lead), " ".repeat(taken));
    });
}

/** Fills one line after the other. */
class Wrapper {
  readonly #columns: number;
  readonly #lines: Line[] = [];
  #spans: Span[] = [];
  #taken = 0;
  /** A space had no room behind what is in the line: the next word begins another one. */
  #ended = false;

  constructor(columns: number) {
    this.#columns = columns;
  }

  add(word: string, styles: readonly Style[]): void {
    const needed = width(word);
    if (word.startsWith(" ")) return this.#space(word, needed, styles);
    if (this.#ended) this.break();
    else if (this.#taken > 0 && this.#taken + needed > this.#columns) this.#breakBeforeWord();
    if (this.#taken + needed > this.#columns) this.#long(word, styles);
    else this.fill(word, styles);
  }

  /**
   * A word that is longer than a line: it is broken behind a mark that parts it, such as the slash of a path, and within
   * a part only when that alone is longer than a line.
   */
  #long(word: string, styles: readonly Style[]): void {
    for (const part of word.match(PARTS) ?? [word]) {
      if (this.#taken > 0 && this.#taken + width(part) > this.#columns) this.break();
      this.fill(part, styles);
    }
  }

  /** Puts text where there is room, and goes on in the next line. */
  fill(text: string, styles: readonly Style[]): void {
    if (width(text) <= this.#columns - this.#taken) return this.#put(text, styles);
    let part = "";
    let room = this.#columns - this.#taken;
    for (const each of characters(text)) {
      const needed = width(each);
      // A wide character may find no room even in a line of its own.
      if (needed > room && this.#taken + part.length > 0) {
        this.#put(part, styles);
        this.break();
        part = "";
        room = this.#columns;
      }
      part += each;
      room -= needed;
    }
    this.#put(part, styles);
  }

  break(): void {
    this.#lines.push(trimmed(this.#spans));
    this.#spans = [];
    this.#taken = 0;
    this.#ended = false;
  }

  lines(): readonly Line[] {
    this.break();
    return this.#lines;
  }

  /** A space that no word follows on its line is dropped; at the beginning of a line of the text it counts. */
  #space(text: string, needed: number, styles: readonly Style[]): void {
    if (this.#taken + needed <= this.#columns) this.#put(text, styles);
    else if (this.#taken === 0) this.fill(text, styles);
    else this.#ended = true;
  }

  /** Breaks where the last space was: the word may have begun in another look. */
  #breakBeforeWord(): void {
    const begin = this.#spans.findLastIndex(({ text }) => text.endsWith(" ")) + 1;
    const begun = begin === 0 ? [] : this.#spans.splice(begin);
    this.break();
    for (const { text, styles } of begun) this.#put(text, styles);
  }

  #put(text: string, styles: readonly Style[]): void {
    if (text === "") return;
    this.#spans.push({ text, styles });
    this.#taken += width(text);
  }
}

/** Spaces at the end of a line are not seen, and would only be in the way when a line is copied. */
function trimmed(spans: readonly Span[]): Line {
  const last = spans.at(-1);
  if (last === undefined || !last.text.endsWith(" ")) return spans;
  const text = last.text.trimEnd();
  return text === "" ? trimmed(spans.slice(0, -1)) : [...spans.slice(0, -1), { ...last, text }];
}
