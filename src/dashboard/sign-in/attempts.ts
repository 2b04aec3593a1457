import type { Clock, Records } from "../../core/index.ts";
import { RecordSpace } from "../../automation/work/record-space.ts";

/** Wrong tries of one account, or from one address. */
interface Attempts {
  readonly of: string;
  readonly wrong: number;
  /** Unix milliseconds. */
  readonly lockedUntil: number;
  readonly at: number;
}

const FREE_TRIES = 5;
const MINUTE = 60_000;
const LONGEST_LOCK = 60 * MINUTE;
const FORGOTTEN_AFTER = 24 * 60 * MINUTE;

/**
 * The count of wrong tries. After five an account, or an address, is locked for 1, 2, 4 … 60 minutes. A try counts before
 * it is looked at, so that many at once are no more than one after the other.
 */
export class SignInAttempts {
  readonly #space: RecordSpace<Attempts>;
  readonly #clock: Clock;

  constructor(records: Records, clock: Clock) {
    this.#clock = clock;
    this.#space = new RecordSpace<Attempts>(records, {
      space: "dashboard.attempts",
      name: "Attempts",
      encode: (value) => ({
        space: "dashboard.attempts",
        key: value.of,
        value: JSON.stringify(value),
        expiresAt: value.at + FORGOTTEN_AFTER,
      }),
    });
  }

  /** Counts a try. @returns milliseconds until one is looked at again; 0 when this one is */
  async begin(subjects: readonly string[]): Promise<number> {
    const waits = await Promise.all(subjects.map((of) => this.#count(of)));
    return Math.max(...waits);
  }

  /** Forgets the wrong tries: this one was right. */
  async succeeded(subjects: readonly string[]): Promise<void> {
    await Promise.all(subjects.map((of) => this.#space.remove(of)));
  }

  async #count(of: string): Promise<number> {
    const now = this.#clock.now();
    if (await this.#space.add({ of, wrong: 1, lockedUntil: 0, at: now })) return 0;
    let wait = 0;
    await this.#space.change(of, (state) => {
      wait = Math.max(0, state.lockedUntil - now);
      if (wait > 0) return undefined;
      const wrong = state.wrong + 1;
      const locked =
        wrong < FREE_TRIES ? 0 : now + Math.min(MINUTE * 2 ** (wrong - FREE_TRIES), LONGEST_LOCK);
      return { of, wrong, lockedUntil: locked, at: now };
    });
    return wait;
  }
}
