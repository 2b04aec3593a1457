/** Milliseconds of a line's time that are given away at once: a key that is pressed then is not seen for as long. */
const AT_ONCE_MS = 500;
/** Of what a slow line takes, so much is used. */
const SHARE = 0.8;
/** A line of so many bytes per millisecond is through with what is buffered before anybody notices. */
const FAST = 16;
/** Bytes that stand in buffers on the way when a write had to wait. */
const BUFFERED = 4096;
/** A line that may only have stalled is soon trusted with more; one that is known to be slow after so long, in ms. */
const MORE = 4;
const LITTLE_MORE = 1.25;
const PATIENCE_MS = 10_000;

/**
 * An estimate of how fast a line to a terminal is. Buffers behind a slow line cannot be seen. They must stay empty so
 * that keys are answered soon, so nothing is written faster than the line was seen to go.
 */
export class TerminalRateEstimate {
  /** Bytes per millisecond: what is tried now, and what was seen last. */
  #rate = Infinity;
  #seen = Infinity;
  /** It was seen to be slow twice, in the same way. */
  #isSlow = false;
  #emptyAt = -Infinity;
  #changedAt = -Infinity;

  /** A write went at once. Times are milliseconds of one clock. */
  took(bytes: number, at: number): void {
    if (!this.#isSlow) this.#rate *= MORE;
    else if (at - this.#changedAt > PATIENCE_MS) {
      this.#rate *= LITTLE_MORE;
      this.#changedAt = at;
      this.#isSlow = this.#rate < this.#seen * 2;
    }
    this.#emptyAt = Math.max(this.#emptyAt, at) + bytes / (this.#rate * SHARE);
  }

  /** A write had to wait, because the buffers were full. */
  waited(bytes: number, { from, to }: { readonly from: number; readonly to: number }): void {
    const seen = bytes / Math.max(1, to - from);
    const rate = seen < FAST ? seen : Infinity;
    this.#isSlow = rate < this.#seen * 2 && rate > this.#seen / 2;
    this.#rate = rate;
    this.#seen = rate;
    this.#changedAt = to;
    this.#emptyAt = this.#isSlow ? to + BUFFERED / rate : to;
  }

  /** Milliseconds until the line has gone through what was written. */
  waitMs(now: number): number {
    return Math.max(0, this.#emptyAt - now);
  }

  /** Bytes that may be written at once. */
  get room(): number {
    return this.#rate * AT_ONCE_MS;
  }
}
