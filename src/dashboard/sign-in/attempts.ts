import type { Clock, Records } from "../../core/index.ts";
import { RecordSpace } from "../../automation/work/record-space.ts";

/** Wrong tries of one account, or from one address. */
interface Attempts {
  readonly of: string;
  readonly wrong: number;
  /** Unix milliseconds. */
  readonly lockedUntil: number;
  /** Somebody was refused in this lock already. */
  readonly refused?: true;
  readonly at: number;
}

/** The answer to a try. */
export interface TryVerdict {
  /** Milliseconds until one is looked at again; 0 when this one is. */
  readonly waitMs: number;
  /** It is the first that a lock refuses. */
  readonly isFirst: boolean;
}

const LOOKED_AT: TryVerdict = { waitMs: 0, isFirst: false };

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

  /** Counts a try. */
  async begin(subjects: readonly string[]): Promise<TryVerdict> {
    const verdicts = await Promise.all(subjects.map((of) => this.#count(of)));
    return {
      waitMs: Math.max(...verdicts.map(({ waitMs }) => waitMs)),
      isFirst: verdicts.some(({ isFirst }) => isFirst),
    };
  }

  /** Forgets the wrong tries: this one was right. */
  async succeeded(subjects: readonly string[]): Promise<void> {
    await Promise.all(subjects.map((of) => this.#space.remove(of)));
  }

  async #count(of: string): Promise<TryVerdict> {
    const now = this.#clock.now();
    if (await this.#space.add({ of, wrong: 1, lockedUntil: 0, at: now })) return LOOKED_AT;
    let verdict = LOOKED_AT;
    await this.#space.change(of, (state) => {
      const waitMs = Math.max(0, state.lockedUntil - now);
      verdict = { waitMs, isFirst: waitMs > 0 && state.refused !== true };
      if (waitMs > 0) return verdict.isFirst ? { ...state, refused: true } : undefined;
      const wrong = state.wrong + 1;
      const locked =
        wrong < FREE_TRIES ? 0 : now + Math.min(MINUTE * 2 ** (wrong - FREE_TRIES), LONGEST_LOCK);
      return { of, wrong, lockedUntil: locked, at: now };
    });
    return verdict;
  }
}
