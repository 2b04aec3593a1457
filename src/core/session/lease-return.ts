import type { Clock } from "../../shared/async/clock.ts";

/** The return of a session's lease, a while after its last turn: the next turn usually comes soon, and then need not wait. */
export class LeaseReturn {
  readonly #clock: Clock;
  readonly #afterMs: number;
  readonly #giveBack: () => Promise<void>;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, afterMs: number, giveBack: () => Promise<void>) {
    this.#clock = clock;
    this.#afterMs = afterMs;
    this.#giveBack = giveBack;
  }

  /** Gives it back a little later, unless there is a turn again by then. */
  later(): void {
    this.#cancel();
    this.#cancel = this.#clock.after(this.#afterMs, () => void this.#giveBack().catch(() => undefined));
  }

  /** Gives it back now. */
  async now(): Promise<void> {
    this.#cancel();
    await this.#giveBack();
  }

  cancel(): void {
    this.#cancel();
  }
}
