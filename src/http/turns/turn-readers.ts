import type { Clock } from "../../shared/async/clock.ts";

/**
 * The readers of one turn. When the last one has left and no other has come within the grace, the turn is abandoned.
 */
export class TurnReaders {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #abandoned: () => void;
  #readers = 0;
  #cancel: () => void = () => undefined;

  /** @param abandoned - called when nobody has read for `graceMs` */
  constructor(clock: Clock, graceMs: number, abandoned: () => void) {
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.#abandoned = abandoned;
  }

  /** Counts a reader, until the returned function is called. */
  enter(): () => void {
    this.#readers += 1;
    this.#cancel();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#readers -= 1;
      if (this.#readers === 0) this.#cancel = this.#clock.after(this.#graceMs, this.#abandoned);
    };
  }

  /** Stops watching: the turn is over. */
  close(): void {
    this.#cancel();
  }
}
