/** An answer of the terminal among the keys. */
export type TerminalReply =
  | { readonly type: "background"; readonly background: "dark" | "light" }
  /** It can tell keys apart that otherwise are one (kitty's keyboard protocol). */
  | { readonly type: "keyboard" }
  | { readonly type: "focus"; readonly focused: boolean }
  /** It has read what was written before it was asked whether it is well. */
  | { readonly type: "receipt" }
  /** It has answered everything that was asked before. */
  | { readonly type: "done" };

// Finding control sequences is what these are for.
/* oxlint-disable no-control-regex */

const REPLIES =
  /\u001b\]11;rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})[0-9a-f/]*(?:\u0007|\u001b\\)|\u001b\[\?(\d*)u|\u001b\[\?[\d;]*(c)|\u001b\[([IO])|\u001b\[[03](n)/gi;

/** The beginning of a reply at the end of what has come; a lone Escape is one only while an answer is due. */
const BEGUN = /\u001b(?:\](?:1(?:1(?:;[^\u0007\u001b]{0,60}\u001b?)?)?)?|\[\?[\d;]{0,60}|\[[03])$/;
const BEGUN_AT_ALL = /\u001b\[?$/;
/** Escapes alone: each a key, or the first the beginning of one. */
const ESCAPES = /^\u001b+$/;

/** A filter that takes a terminal's answers out of the typed keys, however they are cut into pieces. */
export class TerminalReplyFilter {
  readonly #isReceiptDue: () => boolean;
  #held = "";
  #isDone = false;

  /** @param isReceiptDue - tells whether an Escape may be the beginning of one */
  constructor(isReceiptDue: () => boolean) {
    this.#isReceiptDue = isReceiptDue;
  }

  /** What is typed, and what the terminal said meanwhile. */
  take(chunk: string): { readonly typed: string; readonly replies: readonly TerminalReply[] } {
    const replies: TerminalReply[] = [];
    const text = (this.#held + chunk).replaceAll(REPLIES, (...match: readonly string[]) => {
      replies.push(replyOf(match));
      return "";
    });
    if (replies.some(({ type }) => type === "done")) this.#isDone = true;
    const isDue = !this.#isDone || this.#isReceiptDue();
    const begun = BEGUN.exec(text) ?? ESCAPES.exec(text) ?? (isDue ? BEGUN_AT_ALL.exec(text) : null);
    this.#held = begun?.[0] ?? "";
    return { typed: text.slice(0, text.length - this.#held.length), replies };
  }

  /** Something is held that may become a reply, or be keys. */
  get holds(): boolean {
    return this.#held !== "";
  }

  /** Nothing came that would make a reply of what is held: it was typed. */
  release(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}

function replyOf([, red, green, blue, keyboard, device, focus, receipt]: readonly (
  | string
  | undefined
)[]): TerminalReply {
  if (keyboard !== undefined) return { type: "keyboard" };
  if (device !== undefined) return { type: "done" };
  if (receipt !== undefined) return { type: "receipt" };
  if (focus !== undefined) return { type: "focus", focused: focus === "I" };
  const light = 0.299 * share(red) + 0.587 * share(green) + 0.114 * share(blue) > 0.5;
  return { type: "background", background: light ? "light" : "dark" };
}

/** A part of a colour, of one to four hexadecimal digits, between 0 and 1. */
const share = (digits = "0"): number => Number.parseInt(digits, 16) / (16 ** digits.length - 1);
