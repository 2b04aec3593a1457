/** Asks a terminal whether it is well: it answers when it has come to the question. */
const QUESTION = "\u001b[5n";

/** Milliseconds that what is on the way may take: a key that is pressed then is not seen for as long. */
const ON_THE_WAY_MS = 400;
/** Bytes that may be on the way: while nothing is known, on the slowest line, and on one that is never the limit. */
const WINDOW = { first: 1024, least: 512, most: 1 << 20 };
/** So few bytes are not worth a question. */
const WORTH_ASKING = 512;
/** With so few an answer takes what the way takes, on any line. */
const NEXT_TO_NOTHING = 64;
/** A terminal that has not answered the first question by then is taken for one that does not, in milliseconds. */
const DEAF_AFTER_MS = 3000;
/** Nor is one waited for that used to: its answer got lost, or the line is dead. */
const LOST_AFTER_MS = 5000;

/**
 * A measure of how much written text the terminal has read. Buffers on the way cannot be seen, but a terminal's answers
 * come in the order of the text before them. As much text may be on the way as the line took in a short time. All times
 * are milliseconds of one clock.
 */
export class TerminalReadWindow {
  #sent = 0;
  #read = 0;
  #asked: { readonly upTo: number; readonly at: number } | undefined;
  #areGiven = false;
  #window = WINDOW.first;
  /** Milliseconds that the way takes when nothing is on it. */
  #wayMs: number | undefined;

  /** The terminal was seen to answer. */
  get areGiven(): boolean {
    return this.#areGiven;
  }

  /** Counts what is written. */
  wrote(bytes: number): void {
    this.#sent += bytes;
  }

  /** A question is due. */
  get isDue(): boolean {
    if (!this.#areGiven || this.#asked !== undefined) return false;
    return this.#wayMs === undefined || this.#sent - this.#read >= WORTH_ASKING;
  }

  /** Gives the question, to be written now. The first is for finding out whether the terminal answers. */
  ask(at: number): string {
    this.#asked = { upTo: this.#sent, at };
    return QUESTION;
  }

  /** The terminal has answered. */
  came(at: number): void {
    const asked = this.#asked;
    this.#asked = undefined;
    // The first came behind the first frame: the way alone shows in the second.
    if (asked !== undefined && this.#areGiven)
      this.#learn(asked.upTo - this.#read, Math.max(1, at - asked.at));
    // Without a question that is open this is the answer to one that was given up.
    this.#read = asked?.upTo ?? this.#sent;
    this.#areGiven = true;
  }

  /** The terminal has answered what was asked later: it does not answer this. */
  cameNone(): void {
    if (!this.#areGiven) this.#asked = undefined;
  }

  /** Milliseconds until an answer that is due is given up; `undefined` when none is due. */
  dueMs(at: number): number | undefined {
    if (this.#asked === undefined) return undefined;
    return this.#asked.at + (this.#areGiven ? LOST_AFTER_MS : DEAF_AFTER_MS) - at;
  }

  /** Bytes that may be written without making keys wait; none when it is 0 or less. */
  room(at: number): number {
    if ((this.dueMs(at) ?? 1) <= 0) {
      this.#asked = undefined;
      this.#read = this.#sent;
    }
    const isKnown = this.#areGiven || this.#asked !== undefined;
    if (!isKnown) return Infinity;
    // Once, nothing is put on the way until it is known how long that is.
    const isMeasuring = this.#areGiven && this.#wayMs === undefined;
    return isMeasuring ? 0 : this.#window - (this.#sent - this.#read);
  }

  /** @param tookMs - from the question to the answer, with so many bytes on the way */
  #learn(bytes: number, tookMs: number): void {
    if (bytes <= NEXT_TO_NOTHING) this.#wayMs = Math.min(this.#wayMs ?? Infinity, tookMs);
    if (this.#wayMs === undefined) return;
    const inBuffers = tookMs - this.#wayMs;
    if (inBuffers > ON_THE_WAY_MS) this.#window = (bytes * ON_THE_WAY_MS) / inBuffers;
    else if (bytes * 2 >= this.#window) this.#window *= inBuffers * 4 < ON_THE_WAY_MS ? 4 : 2;
    this.#window = Math.min(WINDOW.most, Math.max(WINDOW.least, this.#window));
  }
}
