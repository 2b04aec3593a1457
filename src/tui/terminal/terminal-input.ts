import { EventEmitter } from "node:events";
import type { Readable } from "node:stream";
import { type Clock, systemClock } from "../../shared/async/clock.ts";
import { PasteCollector } from "./paste-collector.ts";
import { type TerminalReply, TerminalReplyFilter } from "./reply-filter.ts";

/** A piece of a reply follows its beginning within this, in milliseconds; else it is a key. */
const PIECE_MS = 50;

/** A paste of which nothing came for so long has ended, in milliseconds. */
const PASTE_MS = 2000;

/** Escape as terminals send it that tell keys apart: Ink takes two plain ones that come at once for one. */
const ESCAPE = "\u001b[27u";

/** The stream of a terminal's keys. */
export type TerminalKeys = Readable & {
  setRawMode?(raw: boolean): unknown;
  ref?(): unknown;
  unref?(): unknown;
};

/** The typed keys as Ink reads them, without the terminal's own answers. */
export class TerminalInput extends EventEmitter {
  readonly isTTY = true;
  readonly #source: TerminalKeys;
  readonly #onReply: (reply: TerminalReply) => void;
  readonly #filter: TerminalReplyFilter;
  readonly #clock: Clock;
  readonly #pastes = new PasteCollector();
  #late: NodeJS.Timeout | undefined;
  #paused: () => void = () => undefined;
  #released = "";

  constructor(
    source: TerminalKeys,
    options: {
      readonly onReply: (reply: TerminalReply) => void;
      readonly isReceiptDue: () => boolean;
      readonly clock?: Clock;
    },
  ) {
    super();
    this.#source = source;
    this.#onReply = options.onReply;
    this.#clock = options.clock ?? systemClock;
    this.#filter = new TerminalReplyFilter(options.isReceiptDue);
    // While nobody reads here, what is typed is somebody else's: of a program that has the terminal meanwhile.
    this.on("newListener", (name) => {
      if (name === "readable" && this.listenerCount("readable") === 0) source.on("readable", this.#readable);
    });
    this.on("removeListener", (name) => {
      if (name !== "readable" || this.listenerCount("readable") > 0) return;
      source.off("readable", this.#readable);
      setImmediate(this.#letGo);
    });
  }

  /** What was typed since the last time; `null` when that is nothing. */
  read(): string | null {
    const chunk: unknown = this.#source.read();
    if (typeof chunk !== "string") return this.#takeReleased();
    clearTimeout(this.#late);
    const { typed, replies } = this.#filter.take(chunk);
    if (this.#filter.holds) this.#late = setTimeout(this.#release, PIECE_MS);
    for (const reply of replies) this.#onReply(reply);
    const released = this.#takeReleased() ?? "";
    return released + this.#collect(typed);
  }

  setEncoding(encoding: BufferEncoding): this {
    this.#source.setEncoding(encoding);
    return this;
  }

  setRawMode(raw: boolean): this {
    this.#source.setRawMode?.(raw);
    return this;
  }

  ref(): this {
    this.#source.ref?.();
    return this;
  }

  unref(): this {
    this.#source.unref?.();
    return this;
  }

  /** A stream that nobody listens to reads on: it would take the keys of the program that has the terminal now. */
  readonly #letGo = (): void => {
    if (this.listenerCount("readable") === 0) this.#source.pause();
  };

  readonly #readable = (): void => void this.emit("readable");

  readonly #release = (): void => {
    const held = this.#filter.release();
    // Finding Escapes is what this is for.
    // oxlint-disable-next-line no-control-regex
    this.#released += this.#collect(/^\u001b+$/.test(held) ? ESCAPE.repeat(held.length) : held);
    this.emit("readable");
  };

  #collect(typed: string): string {
    // The terminal's own answers say nothing of the paste.
    if (typed === "") return "";
    this.#paused();
    const complete = this.#pastes.take(typed);
    if (this.#pastes.waits) this.#paused = this.#clock.after(PASTE_MS, this.#rest);
    return complete;
  }

  readonly #rest = (): void => {
    this.#released += this.#pastes.rest();
    this.emit("readable");
  };

  #takeReleased(): string | null {
    const text = this.#released;
    this.#released = "";
    return text === "" ? null : text;
  }
}
