import type { Clock } from "../../shared/async/clock.ts";

/** Those who read one turn. When the last one has left and nobody has come in time, nobody waits for it any more. */
export class TurnReaders {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #deserted: () => void;
  #readers = 0;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, graceMs: number, deserted: () => void) {
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.#deserted = deserted;
  }

  /** A reader comes; it leaves with the returned function. */
  enter(): () => void {
    this.#readers += 1;
    this.#cancel();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#readers -= 1;
      if (this.#readers === 0) this.#cancel = this.#clock.after(this.#graceMs, this.#deserted);
    };
  }

  /** The turn is over. */
  close(): void {
    this.#cancel();
  }
}
