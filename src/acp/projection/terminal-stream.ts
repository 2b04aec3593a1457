import { stripVTControlCharacters } from "node:util";

/** Characters that are sent as they come. */
const HEAD = 64 * 1024;
/** After those, characters of the newest output that one update carries, and of all updates together. */
const PIECE = 2 * 1024;
const TOTAL = 1024 * 1024;
/** Characters of the end, for whoever has not seen all. */
const TAIL = 8 * 1024;
/** Characters of what was sent last that are remembered, and of them those by which it is found in the result. */
const REMEMBERED = 4 * 1024;
const KNOWN_BY = 200;

/**
 * What a client's display of one command was fed. However much a command prints, the client gets its beginning, signs
 * of life, and its end, and next to nothing of it is kept here.
 */
export class TerminalStream {
  #sentLast = "";
  #total = 0;
  /** Characters that the command had printed when it was last looked at. */
  #position = 0;
  /** Everything up to `position` was sent. */
  #isWhole = true;

  /** What to append for new output; nothing when the client has had enough of it. */
  push({ at, text }: { readonly at: number; readonly text: string }): string {
    const missed = Math.max(0, at - this.#position);
    const fresh = at < this.#position ? text.slice(this.#position - at) : text;
    this.#position = Math.max(this.#position, at + text.length);
    if (fresh === "") return "";
    const room = this.#total < HEAD ? HEAD - this.#total : PIECE;
    const left = missed + Math.max(0, fresh.length - room);
    if (this.#total >= TOTAL) {
      this.#isWhole = false;
      return "";
    }
    if (left === 0) return this.#count(fresh);
    this.#isWhole = false;
    return this.#count(`\n[… ${left} characters …]\n${endOf(fresh, room)}`);
  }

  /** What to append when the command has ended and this is its result. */
  end(result: string): string {
    if (this.#total === 0) return result;
    const rest = this.#isWhole ? this.#rest(result) : undefined;
    return rest ?? `\n[…]\n${endOf(result, TAIL)}`;
  }

  /** What a result says after all that was sent; `undefined` when more came in between. */
  #rest(result: string): string | undefined {
    const cleaned = asResult(this.#sentLast);
    const sent = cleaned.trimEnd();
    // Of much that was sent only the end is known here, which is long enough to be found.
    const isLong = this.#total > REMEMBERED;
    const rest = isLong ? following(sent.slice(-KNOWN_BY), result) : afterStart(sent, result);
    // The space after it was sent too, which results have only where more follows.
    const space = cleaned.slice(sent.length);
    return rest?.startsWith(space) === true ? rest.slice(space.length) : rest;
  }

  #count(text: string): string {
    this.#total += text.length;
    this.#sentLast = (this.#sentLast + text).slice(-REMEMBERED);
    return text;
  }
}

const afterStart = (start: string, result: string): string | undefined =>
  result.startsWith(start) ? result.slice(start.length) : undefined;

function following(known: string, result: string): string | undefined {
  const at = result.lastIndexOf(known);
  return at === -1 ? undefined : result.slice(at + known.length);
}

/** Results are without colours, and of lines that were written over they have what stood there last. */
const asResult = (text: string): string =>
  stripVTControlCharacters(text)
    .split("\n")
    .map((line) => line.replace(/\r+$/, ""))
    .map((line) => line.slice(line.lastIndexOf("\r") + 1))
    .join("\n");

/** At most so many characters of the end, none of them broken. */
const endOf = (text: string, count: number): string =>
  text.length <= count ? text : text.slice(-count).replace(/^[\uDC00-\uDFFF]/, "");
