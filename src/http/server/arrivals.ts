import type { Server } from "node:http";
import { setImmediate as nextRound } from "node:timers";
import type { Clock } from "../../shared/async/clock.ts";

/** Milliseconds for which a request waits at most for others. */
const LONGEST_MS = 50;

/**
 * A gate that keeps requests waiting while connections come in. The event loop accepts one connection a round, so what
 * the first of many start, such as the streams of their answers, would make each of the others wait for a whole round.
 */
export class Arrivals {
  readonly #clock: Pick<Clock, "monotonic">;
  #isNew = false;
  #since = 0;
  #over: PromiseWithResolvers<void> | undefined;

  constructor(server: Server, clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    server.on("connection", () => this.#arrive());
  }

  /** The end of the arrivals that go on; `undefined` when no connection comes in. */
  get over(): Promise<void> | undefined {
    return this.#over?.promise;
  }

  #arrive(): void {
    this.#isNew = true;
    if (this.#over !== undefined) return;
    this.#over = Promise.withResolvers();
    this.#since = this.#clock.monotonic();
    nextRound(this.#look);
  }

  readonly #look = (): void => {
    if (this.#isNew && this.#clock.monotonic() - this.#since < LONGEST_MS) {
      this.#isNew = false;
      nextRound(this.#look);
      return;
    }
    this.#over?.resolve();
    this.#over = undefined;
  };
}
