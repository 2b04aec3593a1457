import { LinePace } from "./line-pace.ts";
import { Receipts } from "./receipts.ts";

/** However slow a line is, so often something is written to it, in milliseconds. */
const SELDOM_MS = 2000;

/**
 * What is on its way to a terminal, and how much more may be: as much as keys that are pressed then can wait for. Where
 * the terminal says what it has read, that is certain; where it does not, it is guessed from how its line goes.
 *
 * All times are milliseconds of one clock.
 */
export class LineTraffic {
  readonly receipts = new Receipts();
  readonly #pace = new LinePace();
  /** Writes that the process has not got rid of. */
  #waiting = 0;
  #wroteAt = -Infinity;

  /** A write begins. */
  begins(bytes: number, at: number): void {
    this.#wroteAt = at;
    this.receipts.wrote(bytes);
  }

  /** It went at once. */
  took(bytes: number, at: number): void {
    this.#pace.took(bytes, at);
  }

  /** It has to wait, because the buffers are full. */
  waits(): void {
    this.#waiting += 1;
  }

  /** What had to wait is gone. */
  went(bytes: number, times: { readonly from: number; readonly to: number }): void {
    this.#waiting -= 1;
    this.#pace.waited(bytes, times);
  }

  /** Not even what was typed can be shown now. */
  get isStuck(): boolean {
    return this.#waiting > 0;
  }

  /** Bytes that may be written now; none when it is 0 or less. */
  room(at: number): number {
    if (this.isStuck) return 0;
    if (this.receipts.areGiven) return this.receipts.room(at);
    const isBusy = this.#pace.waitMs(at) > 0 && at - this.#wroteAt < SELDOM_MS;
    return isBusy ? 0 : Math.min(this.#pace.room, this.receipts.room(at));
  }

  /** Milliseconds after which there may be room although nothing was heard of the line. */
  waitMs(at: number): number {
    return this.receipts.dueMs(at) ?? Math.min(SELDOM_MS, this.#pace.waitMs(at));
  }
}
