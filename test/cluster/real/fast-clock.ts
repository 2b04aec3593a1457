import { type Clock, systemClock } from "../../../src/shared/async/clock.ts";

/**
 * A clock on which time passes faster, by which tests wait seconds where hosts wait half a minute. What it is by the calendar
 * the store says.
 */
export class FastClock implements Clock {
  readonly #speed: number;
  #offset: number | undefined;

  constructor(speed: number) {
    this.#speed = speed;
  }

  now(): number {
    return this.#offset === undefined
      ? systemClock.now()
      : Math.round(systemClock.monotonic() + this.#offset);
  }

  monotonic(): number {
    return systemClock.monotonic() * this.#speed;
  }

  after(ms: number, run: () => void, holds?: boolean): () => void {
    return systemClock.after(ms / this.#speed, run, holds);
  }

  told(now: number, at: number): void {
    this.#offset = now - at / this.#speed;
  }
}
