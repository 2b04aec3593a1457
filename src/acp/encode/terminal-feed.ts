/** Characters that are sent as they come. */
const HEAD = 64 * 1024;
/** After those, characters of the newest output that one update carries, and of all updates together. */
const PIECE = 2 * 1024;
const TOTAL = 1024 * 1024;
/** Characters of the end, for whoever has not seen all. */
const TAIL = 8 * 1024;

/**
 * What a client's display of one command was fed. However much a command prints, the client gets its beginning, signs
 * of life, and its end, and nothing of it is kept here but the beginning.
 */
export class TerminalFeed {
  #sent = "";
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
    if (!this.#isWhole) return `\n[…]\n${endOf(result, TAIL)}`;
    // Where the result is not what was sent, it is the same without colours and the like.
    return result.startsWith(this.#sent) ? result.slice(this.#sent.length) : "";
  }

  #count(text: string): string {
    this.#total += text.length;
    if (this.#total <= HEAD) this.#sent += text;
    return text;
  }
}

/** At most so many characters of the end, none of them broken. */
const endOf = (text: string, count: number): string =>
  text.length <= count ? text : text.slice(-count).replace(/^[\uDC00-\uDFFF]/, "");
