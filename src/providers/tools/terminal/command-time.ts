import type { Clock } from "../../../shared/async/clock.ts";

/** The time that a command has. It stands while people are asked something that the command waits for. */
export class CommandTime implements Disposable {
  readonly #clock: Clock;
  readonly #over = new AbortController();
  #left: number;
  #since = 0;
  #waits = 0;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#left = ms;
    this.#run();
  }

  /** Aborted when the time is over. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Waits for people; the time stands. */
  async standWhile<Value>(waiting: Promise<Value>): Promise<Value> {
    if (this.#waits === 0) {
      this.#cancel();
      this.#left -= this.#clock.monotonic() - this.#since;
    }
    this.#waits += 1;
    try {
      return await waiting;
    } finally {
      this.#waits -= 1;
      if (this.#waits === 0) this.#run();
    }
  }

  [Symbol.dispose](): void {
    this.#cancel();
    // A wait that ends later must not start it again.
    this.#waits += 1;
  }

  #run(): void {
    this.#since = this.#clock.monotonic();
    this.#cancel = this.#clock.after(Math.max(0, this.#left), () => this.#over.abort());
  }
}
