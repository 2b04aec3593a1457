import { forTerminal } from "../terminal/terminal-text.ts";
import { type Line, type Span, span, type Style } from "./line.ts";
import { characters, width } from "./width.ts";

const TAB = "    ";

/** Text as lines of at most so many columns: broken between words, and within words that are longer than a line. */
export function wrap(text: string, columns: number, ...styles: readonly Style[]): readonly Line[] {
  return wrapSpans([span(text, ...styles)], columns);
}

/** The same for text in several looks; line breaks in it stay. */
export function wrapSpans(spans: readonly Span[], columns: number): readonly Line[] {
  const wrapper = new Wrapper(Math.max(1, columns));
  for (const { text, styles } of spans) {
    for (const [index, part] of clean(text).split("\n").entries()) {
      if (index > 0) wrapper.break();
      for (const word of part.match(/ +|[^ ]+/g) ?? []) wrapper.add(word, styles);
    }
  }
  return wrapper.lines();
}

/** Text whose spaces matter, as code and output: its lines are broken at the last column, not between words. */
export function wrapExact(spans: readonly Span[], columns: number): readonly Line[] {
  const wrapper = new Wrapper(Math.max(1, columns));
  for (const { text, styles } of spans) {
    for (const [index, part] of clean(text).split("\n").entries()) {
      if (index > 0) wrapper.break();
      wrapper.fill(part, styles);
    }
  }
  return wrapper.lines();
}

const clean = (text: string): string => forTerminal(text).replaceAll("\t", TAB);

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
    this.fill(word, styles);
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
