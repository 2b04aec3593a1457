import type { Clock } from "../../../shared/async/clock.ts";
import type { SearchBackend } from "./search-messages.ts";

/** A process that answers one question and ends never pays for the index. */
const FIRST_AFTER = 10_000;
/** What was said is in the index so much later; a search does not wait for that. */
const AFTER_WRITE = 3000;
/** Milliseconds of one step. */
const STEP = 20;
/** A session is worked in when its last write is no longer ago. */
const BUSY = 2000;
/** Pauses between steps, in times of what the step took. */
const PAUSE = { busy: 40, idle: 1 };
/** After a step that failed, as on a full disk. */
const AFTER_FAILURE = 60_000;

/** The builder of the index: it works in the background, in short steps, and hardly at all while a turn runs. */
export class IndexFollower {
  readonly #backend: SearchBackend;
  readonly #clock: Clock;
  #lastWrite = Number.NEGATIVE_INFINITY;
  #running = false;
  #stopped = true;
  #due: { readonly at: number; readonly cancel: () => void } | undefined;

  constructor(backend: SearchBackend, clock: Clock) {
    this.#backend = backend;
    this.#clock = clock;
  }

  start(): void {
    this.#stopped = false;
    this.#in(FIRST_AFTER);
  }

  /** Something was written. */
  wrote(): void {
    this.#lastWrite = this.#clock.monotonic();
    if (!this.#stopped && !this.#running) this.#in(AFTER_WRITE);
  }

  stop(): void {
    this.#stopped = true;
    this.#due?.cancel();
  }

  #in(ms: number): void {
    const at = this.#clock.monotonic() + ms;
    if (this.#stopped || (this.#due !== undefined && this.#due.at <= at)) return;
    this.#due?.cancel();
    this.#due = { at, cancel: this.#clock.after(ms, () => void this.#step()) };
  }

  async #step(): Promise<void> {
    this.#due = undefined;
    this.#running = true;
    const began = this.#clock.monotonic();
    try {
      const isDone = await this.#backend.call("catchUp", { ms: STEP });
      this.#running = false;
      const now = this.#clock.monotonic();
      const pause = now - this.#lastWrite < BUSY ? PAUSE.busy : PAUSE.idle;
      if (!isDone) this.#in(pause * Math.max(now - began, 1));
      // What was written while it worked.
      else if (this.#lastWrite >= began) this.#in(AFTER_WRITE);
    } catch {
      this.#running = false;
      this.#in(AFTER_FAILURE);
    }
  }
}
