import type { ToolContent } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { asSeen } from "../../shared/text/control-sequences.ts";

/** Characters that are sent as they come. */
const HEAD = 64 * 1024;
/** After those: characters of the newest output in one update, and in all updates together. */
const PIECE = 2 * 1024;
const TOTAL = 1024 * 1024;
/** Characters of the end that a client gets when it missed something. */
const TAIL = 8 * 1024;
/** Characters of the last output that are remembered, and the length of the end that is looked for in the result. */
const REMEMBERED = 4 * 1024;
const KNOWN_BY = 200;

/**
 * The output of one command as a client's display gets it. However much the command prints, the client gets the
 * beginning, signs of life, and the end; little of it is kept in memory.
 */
export class TerminalStream {
  #sentLast = "";
  #total = 0;
  /** Characters that the command has printed so far. */
  #position = 0;
  /** Everything up to `position` was sent. */
  #isWhole = true;

  /** The text to append for new output; empty when the client has got the most that it may get. */
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

  /** The text to append when the command has ended with this result. */
  end(result: string): string {
    if (this.#total === 0) return result;
    const rest = this.#isWhole ? this.#rest(result) : undefined;
    return rest ?? `\n[…]\n${endOf(result, TAIL)}`;
  }

  /** The part of a result after everything that was sent; `undefined` when output between them was missed. */
  #rest(result: string): string | undefined {
    const cleaned = asSeen(this.#sentLast);
    const sent = cleaned.trimEnd();
    // Only the end of a long output is remembered; it is long enough to be found.
    const isLong = this.#total > REMEMBERED;
    const rest = isLong ? following(sent.slice(-KNOWN_BY), result) : afterStart(sent, result);
    // The white space after it was sent too; a result has it only where more follows.
    const space = cleaned.slice(sent.length);
    return rest?.startsWith(space) === true ? rest.slice(space.length) : rest;
  }

  #count(text: string): string {
    this.#total += text.length;
    this.#sentLast = (this.#sentLast + text).slice(-REMEMBERED);
    return text;
  }
}

/** Reads from a command's result how it ended; a key is there when its value is known. */
export function exitStatus(content: readonly ToolContent[]) {
  const exit = content.find((part) => part.type === "terminal");
  return defined({ exitCode: exit?.exitCode ?? undefined, signal: exit?.signal ?? undefined });
}

const afterStart = (start: string, result: string): string | undefined =>
  result.startsWith(start) ? result.slice(start.length) : undefined;

function following(known: string, result: string): string | undefined {
  const at = result.lastIndexOf(known);
  return at === -1 ? undefined : result.slice(at + known.length);
}

/** At most `count` characters of the end; none is cut in half. */
const endOf = (text: string, count: number): string =>
  text.length <= count ? text : text.slice(-count).replace(/^[\uDC00-\uDFFF]/, "");
