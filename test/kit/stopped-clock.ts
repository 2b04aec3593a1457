import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../../src/shared/async/clock.ts";

/** The clock of a process that is stopped for a while, as by SIGSTOP: time passes, and what falls due happens when it goes on. */
export class StoppedClock implements Clock {
  readonly #clock: Clock;
  readonly #due = new Set<() => void>();
  #isStopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, run: () => void): () => void {
    const fire = (): void => {
      if (this.#isStopped) this.#due.add(run);
      else run();
    };
    const cancel = this.#clock.after(ms, fire);
    return () => {
      cancel();
      this.#due.delete(run);
    };
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** What fell due meanwhile happens in its order, each with all that follows from it by itself. */
  async goOn(): Promise<void> {
    this.#isStopped = false;
    for (const run of this.#due) {
      this.#due.delete(run);
      run();
      await nextTurn();
    }
  }
}
