import { ASCII, type LiteralMatcher, type Walk } from "./literal-matcher.ts";

/** A stretch of text, from a place up to another. */
export interface FoundRange {
  readonly start: number;
  readonly end: number;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const QUOTE = 34;
const BACKSLASH = 92;

const NONE = new Uint8Array(ASCII);
const MARKS = NONE.slice()
  .fill(1, QUOTE, QUOTE + 1)
  .fill(1, BACKSLASH, BACKSLASH + 1);

/** A look through text, in pieces or whole, for what a matcher finds. Places are counted from the text's beginning. */
export class LiteralScan {
  readonly #matcher: LiteralMatcher;
  #state = 0;
  #at = 0;
  /** The line break just before, when it was left out; 0 otherwise. */
  #break = 0;
  /** Places at which more characters stand than are counted, with their number: line breaks and escapes. */
  #extras: { readonly at: number; readonly size: number }[] = [];
  /** Stretches that overlap are one. The reader takes those away that it has dealt with. */
  readonly found: FoundRange[] = [];

  constructor(matcher: LiteralMatcher) {
    this.#matcher = matcher;
  }

  /** The end of what no later text can belong to. */
  get settled(): number {
    const last = this.found.at(-1);
    const held = this.#startOf(this.#matcher.heldAt(this.#state));
    return last !== undefined && last.end > held ? Math.min(held, last.start) : held;
  }

  push(text: string): void {
    const walk: Walk = { state: this.#state, at: 0, stops: NONE };
    for (;;) {
      this.#walk(text, walk);
      if (walk.at === text.length) return;
      this.#take(text.charCodeAt(walk.at), 1);
      walk.at += 1;
      walk.state = this.#state;
    }
  }

  /** Looks through the strings of a whole JSON text, as they read without escapes. */
  pushJson(json: string): void {
    const walk: Walk = { state: 0, at: 0, stops: MARKS };
    while (walk.at < json.length) {
      // Between strings there are no secrets: a number is data of the host's own.
      const begin = json.indexOf('"', walk.at) + 1;
      if (begin === 0) return;
      this.#at += begin - walk.at;
      this.#state = 0;
      walk.state = 0;
      walk.at = begin;
      this.#pushString(json, walk);
    }
  }

  #pushString(json: string, walk: Walk): void {
    for (;;) {
      this.#walk(json, walk);
      const code = json.charCodeAt(walk.at);
      if (walk.at === json.length) return;
      const size = code === BACKSLASH ? (json[walk.at + 1] === "u" ? 6 : 2) : 1;
      walk.at += size;
      if (code === QUOTE) {
        this.#at += 1;
        return;
      }
      this.#take(size === 1 ? code : escapedCode(json, walk.at - size + 1), size);
      walk.state = this.#state;
    }
  }

  #walk(text: string, walk: Walk): void {
    const from = walk.at;
    this.#matcher.walk(text, walk);
    this.#at += walk.at - from;
    this.#state = walk.state;
  }

  /** @param size - characters with which it is written */
  #take(code: number, size: number): void {
    this.#at += size;
    if (code <= CARRIAGE_RETURN && this.#state !== 0 && this.#wraps(code)) {
      this.#extra(size);
      return;
    }
    this.#break = 0;
    this.#state = this.#matcher.next(this.#state, code);
    if (this.#state === 0) return;
    if (size > 1) this.#extra(size - 1);
    const length = this.#matcher.foundAt(this.#state);
    if (length > 0) this.#add(this.#startOf(length));
  }

  /** Takes a line break within digits that are wrapped. An empty line ends them; `\r\n` is one break. */
  #wraps(code: number): boolean {
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) return false;
    const isOneBreak = this.#break === 0 || (this.#break === CARRIAGE_RETURN && code === LINE_FEED);
    const state = isOneBreak ? this.#matcher.wrapped(this.#state, code) : undefined;
    if (state === undefined) return false;
    this.#state = state;
    this.#break = code;
    return true;
  }

  #extra(size: number): void {
    this.#extras.push({ at: this.#at, size });
    const { longest } = this.#matcher;
    // Those before the longest literal are not looked at again.
    if (this.#extras.length > 8 * longest) this.#extras = this.#extras.slice(-4 * longest);
  }

  #add(from: number): void {
    let start = from;
    for (let last = this.found.at(-1); last !== undefined && last.end > start; last = this.found.at(-1)) {
      start = Math.min(start, last.start);
      this.found.pop();
    }
    this.found.push({ start, end: this.#at });
  }

  /** Where the last so many characters begin that count. */
  #startOf(length: number): number {
    let start = this.#at - length;
    for (let index = this.#extras.length - 1; index >= 0; index -= 1) {
      const extra = this.#extras[index];
      if (extra === undefined || extra.at <= start) break;
      start -= extra.size;
    }
    return start;
  }
}

const ESCAPES: Readonly<Record<string, number>> = { n: LINE_FEED, r: CARRIAGE_RETURN, t: 9, b: 8, f: 12 };

function escapedCode(json: string, at: number): number {
  const mark = json[at] ?? "";
  if (mark === "u") return Number.parseInt(json.slice(at + 1, at + 5), 16);
  return ESCAPES[mark] ?? json.charCodeAt(at);
}
