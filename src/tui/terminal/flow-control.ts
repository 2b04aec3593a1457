import { TerminalRateEstimate } from "./rate-estimate.ts";
import { TerminalReadWindow } from "./read-window.ts";

/** However slow a line is, so often something is written to it, in milliseconds. */
const SELDOM_MS = 2000;

/**
 * The flow control of a terminal's line: as much text may be on the way as a pressed key can wait for. Terminals that
 * answer questions make it exact; for others it is estimated. All times are milliseconds of one clock.
 */
export class TerminalFlowControl {
  readonly readWindow = new TerminalReadWindow();
  readonly #rate = new TerminalRateEstimate();
  /** Writes that the process has not got rid of. */
  #waiting = 0;
  #wroteAt = -Infinity;

  /** A write begins. */
  begins(bytes: number, at: number): void {
    this.#wroteAt = at;
    this.readWindow.wrote(bytes);
  }

  /** It went at once. */
  took(bytes: number, at: number): void {
    this.#rate.took(bytes, at);
  }

  /** It has to wait, because the buffers are full. */
  waits(): void {
    this.#waiting += 1;
  }

  /** What had to wait is gone. */
  went(bytes: number, times: { readonly from: number; readonly to: number }): void {
    this.#waiting -= 1;
    this.#rate.waited(bytes, times);
  }

  /** Not even what was typed can be shown now. */
  get isStuck(): boolean {
    return this.#waiting > 0;
  }

  /** Bytes that may be written now; none when it is 0 or less. */
  room(at: number): number {
    if (this.isStuck) return 0;
    if (this.readWindow.areGiven) return this.readWindow.room(at);
    const isBusy = this.#rate.waitMs(at) > 0 && at - this.#wroteAt < SELDOM_MS;
    return isBusy ? 0 : Math.min(this.#rate.room, this.readWindow.room(at));
  }

  /** Milliseconds after which there may be room although nothing was heard of the line. */
  waitMs(at: number): number {
    return this.readWindow.dueMs(at) ?? Math.min(SELDOM_MS, this.#rate.waitMs(at));
  }
}
