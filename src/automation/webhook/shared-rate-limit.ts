import { HostError, type Records } from "../../core/index.ts";
import { KeyedQueue } from "../../shared/async/keyed-queue.ts";
import { RecordSpace } from "../work/record-space.ts";
import type { CallLimit } from "./rate-limit.ts";

const SPACE = "webhook.rate";
const SECOND_MS = 1000;
const WINDOW = 60;
/** Who cannot count a call for all the others that count theirs tries again after so long. */
const CROWDED_MS = 1000;

/** The calls of a name in the last sixty seconds. */
interface CountedCalls {
  readonly name: string;
  /** Unix seconds, each with its calls, the oldest first. */
  readonly seconds: readonly (readonly [second: number, calls: number])[];
}

/** The parts of a limit that hosts share. */
export interface SharedRateLimitParts {
  readonly records: Records;
  /** The time of the store, which is one for all hosts. */
  readonly now: () => number;
  readonly limit: number;
}

/** A limit of calls in any sixty seconds, for each name, over all hosts of a store. Calls count in whole seconds. */
export class SharedRateLimit implements CallLimit {
  readonly #parts: SharedRateLimitParts;
  readonly #space: RecordSpace<CountedCalls>;
  readonly #counting = new KeyedQueue();
  /** Until when a name has no room: who floods the door costs no statements. */
  readonly #fullUntil = new Map<string, number>();

  constructor(parts: SharedRateLimitParts) {
    this.#parts = parts;
    this.#space = new RecordSpace<CountedCalls>(parts.records, {
      space: SPACE,
      name: "Calls of",
      encode: ({ name, seconds }) => ({
        space: SPACE,
        key: name,
        value: JSON.stringify({ name, seconds }),
        expiresAt: endOf(seconds.at(-1)?.[0] ?? 0),
      }),
    });
  }

  /** @throws HostError `store_unavailable` */
  async take(name: string): Promise<number> {
    if (this.#parts.limit === 0) return 0;
    return this.#left(name) || (await this.#counting.run(name, () => this.#count(name)));
  }

  #left(name: string): number {
    return Math.max(0, (this.#fullUntil.get(name) ?? 0) - this.#parts.now());
  }

  async #count(name: string): Promise<number> {
    const left = this.#left(name);
    if (left > 0) return left;
    this.#fullUntil.delete(name);
    try {
      if ((await this.#change(name)) !== undefined) return this.#left(name);
      const second = this.#second();
      if (await this.#space.add({ name, seconds: [[second, 1]] })) return 0;
      await this.#change(name);
      return this.#left(name);
    } catch (thrown) {
      if (thrown instanceof HostError && thrown.code === "conflict") return CROWDED_MS;
      throw thrown;
    }
  }

  /** Counts a call where there is room, and notes until when there is none. */
  #change(name: string): Promise<CountedCalls | undefined> {
    const { limit, now } = this.#parts;
    return this.#space.change(name, ({ seconds }) => {
      const newest = seconds.filter(([second]) => endOf(second) > now());
      const sum = newest.reduce((total, [, calls]) => total + calls, 0);
      const [oldest] = newest;
      if (sum >= limit && oldest !== undefined) {
        this.#fullUntil.set(name, endOf(oldest[0]));
        return undefined;
      }
      const second = Math.max(this.#second(), newest.at(-1)?.[0] ?? 0);
      const before = newest.find(([each]) => each === second)?.[1] ?? 0;
      return { name, seconds: [...newest.filter(([each]) => each !== second), [second, before + 1]] };
    });
  }

  #second(): number {
    return Math.floor(this.#parts.now() / SECOND_MS);
  }
}

/** Unix milliseconds from which the calls of a second count no longer. */
const endOf = (second: number): number => (second + 1 + WINDOW) * SECOND_MS;
