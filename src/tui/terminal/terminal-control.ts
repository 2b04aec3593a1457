import { systemClock } from "../../shared/async/clock.ts";
import { waitAtMost } from "../../shared/async/deadline.ts";
import type { TerminalReply } from "./reply-filter.ts";
import { forTerminalLine } from "./terminal-text.ts";
import { asAscii } from "../text/ascii.ts";
import { fit } from "../text/width.ts";

/** At the end, a reply that is still on its way is waited for so long at most, in milliseconds. */
const LATE_MS = 200;
/** Characters of a title that are shown somewhere. */
const LONGEST_TITLE = 80;

const ASK = "\u001b[?u\u001b]11;?\u001b\\\u001b[c";
const FOCUS_ON = "\u001b[?1004h";
const FOCUS_OFF = "\u001b[?1004l";
const KEYBOARD_ON = "\u001b[>1u";
const KEYBOARD_OFF = "\u001b[<u";
const KEEP_TITLE = "\u001b[22;2t";
/** For terminals that keep none it is empty then, which they replace by their own. */
const TITLE_BACK = "\u001b]2;\u001b\\\u001b[23;2t";

/** Terminals that write a question of this kind on the screen instead of answering it. */
const DEAF = /^(linux|vt\d|cons|eterm|sun|ansi|emacs)/;

/** The signal for a person who looks at another window. */
export type Attention = "off" | "bell" | "notify";

/** Options of the terminal's control. */
export interface TerminalControlOptions {
  /** Writes to the terminal, past everything that is drawn. */
  readonly write: (text: string) => void;
  /** The terminal's name: `TERM`. */
  readonly name: string;
  /** It does not read UTF-8. */
  readonly ascii: boolean;
  readonly onBackground: (background: "dark" | "light") => void;
  /** What the terminal answers to questions that others put: those of the screen. */
  readonly onReceipt: () => void;
  /** It has answered everything that was asked before this began. */
  readonly onAnswered: () => void;
}

/** Talks with the terminal about itself: its colours and keys, its title, whether somebody looks. Gives back what it took. */
export class TerminalControl {
  readonly #options: TerminalControlOptions;
  readonly #deaf: boolean;
  readonly #answered = Promise.withResolvers<void>();
  #keyboard = false;
  #title: string | undefined;
  /** The terminal keeps the title from before. */
  #keptTitle = false;
  /** Another program has the terminal, and its title. */
  #away = false;
  #ended = false;
  /** Until the terminal says otherwise, somebody looks. */
  #focused = true;

  constructor(options: TerminalControlOptions) {
    this.#options = options;
    this.#deaf = DEAF.test(options.name);
    if (this.#deaf) this.#answered.resolve();
  }

  /** It does not answer questions. */
  get isDeaf(): boolean {
    return this.#deaf;
  }

  /** Asks for what is of use; the replies come when they come, and nobody waits for them. */
  begin(): void {
    this.#write(ASK + FOCUS_ON);
  }

  readonly heard = (reply: TerminalReply): void => {
    switch (reply.type) {
      case "background":
        return this.#options.onBackground(reply.background);
      case "keyboard":
        this.#keyboard = true;
        return this.#write(KEYBOARD_ON);
      case "focus":
        this.#focused = reply.focused;
        return;
      case "receipt":
        return this.#options.onReceipt();
      case "done":
        this.#answered.resolve();
        return this.#options.onAnswered();
    }
  };

  /** Shows a title; the one before comes back at the end. */
  title(text: string): void {
    const title = this.#words(text);
    if (title === this.#title) return;
    this.#title = title;
    if (!this.#away) this.#writeTitle();
  }

  /** Tells somebody who looks elsewhere that there is something to look at. */
  attention(how: Attention, text: string): void {
    if (this.#focused || how === "off") return;
    this.#write(how === "notify" ? `\u001b]9;${this.#words(text)}\u001b\\\u0007` : "\u0007");
  }

  /** Another program gets the terminal. */
  leave(): void {
    this.#away = true;
    this.#write(FOCUS_OFF + (this.#keyboard ? KEYBOARD_OFF : ""));
  }

  /** The terminal is here again. */
  comeBack(): void {
    this.#away = false;
    this.#write(FOCUS_ON + (this.#keyboard ? KEYBOARD_ON : ""));
    if (this.#title !== undefined) this.#writeTitle();
  }

  /** Gives the terminal back as it was. Resolves when nothing of what was asked can come any more. */
  async end(): Promise<void> {
    this.leave();
    if (this.#keptTitle) this.#write(TITLE_BACK);
    this.#ended = true;
    await waitAtMost({ clock: systemClock, ms: LATE_MS }, () => this.#answered.promise);
  }

  #writeTitle(): void {
    this.#write(`${this.#keptTitle ? "" : KEEP_TITLE}\u001b]2;${this.#title}\u001b\\`);
    this.#keptTitle = true;
  }

  #words(text: string): string {
    const words = fit(forTerminalLine(text), LONGEST_TITLE);
    return this.#options.ascii ? asAscii(words) : words;
  }

  #write(text: string): void {
    if (!this.#deaf && !this.#ended) this.#options.write(text);
  }
}
