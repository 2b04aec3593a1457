import type { Clock, Records } from "../../core/index.ts";

const SPACE = "app.open";
/** A stream that lasts longer counts as closed for the other hosts. */
const LONGEST_MS = 12 * 3_600_000;
const MOST = 200;

/** The parts that open apps are noted with. */
export interface OpenAppsParts {
  readonly records: Records;
  readonly clock: Pick<Clock, "now">;
  /** This host among those that share the records. */
  readonly hostId: string;
  /** Whether anybody asks about a user: nothing is noted of others. */
  readonly isWanted: (user: string) => Promise<boolean>;
}

/**
 * The members who have the app open before them: those with an event stream to it, at any host of the home. What is noted for the other
 * hosts is claimed, so that it does not count when its host is gone.
 */
export class OpenApps {
  readonly #parts: OpenAppsParts;
  readonly #streams = new Map<string, number>();
  readonly #noted = new Set<string>();
  /** The notes of each user, one after the other. */
  readonly #noting = new Map<string, Promise<void>>();

  constructor(parts: OpenAppsParts) {
    this.#parts = parts;
  }

  /** Notes a stream of a user. @returns what notes its end */
  enter(user: string): () => void {
    this.#add(user, 1);
    return () => this.#add(user, -1);
  }

  async has(user: string): Promise<boolean> {
    if (this.#streams.has(user)) return true;
    const { records, hostId } = this.#parts;
    const notes = await records.list({ space: SPACE, parent: user, limit: MOST });
    return notes.some(({ claim }) => claim?.alive === true && claim.hostId !== hostId);
  }

  /** Tells the other hosts where that has changed; resolves when they can know. */
  note(user: string): Promise<void> {
    const last = (this.#noting.get(user) ?? Promise.resolve())
      .then(() => this.#write(user))
      // A member whose host could not say so is told once more than need be.
      .catch(() => undefined)
      .finally(() => {
        if (this.#noting.get(user) === last) this.#noting.delete(user);
      });
    this.#noting.set(user, last);
    return last;
  }

  /** Resolves when the other hosts know of all streams. */
  async noted(): Promise<void> {
    await Promise.all(this.#noting.values());
  }

  #add(user: string, change: 1 | -1): void {
    const count = (this.#streams.get(user) ?? 0) + change;
    if (count === 0) this.#streams.delete(user);
    else this.#streams.set(user, count);
    if (this.#streams.has(user) !== this.#noted.has(user)) void this.note(user);
  }

  async #write(user: string): Promise<void> {
    const { records, clock, hostId, isWanted } = this.#parts;
    const isOpen = this.#streams.has(user);
    if (isOpen === this.#noted.has(user)) return;
    const place = { space: SPACE, key: `${user}\n${hostId}` };
    if (!isOpen) {
      await records.remove(place.space, place.key);
      this.#noted.delete(user);
    } else if ((await isWanted(user)) && this.#streams.has(user)) {
      this.#noted.add(user);
      const expiresAt = clock.now() + LONGEST_MS;
      await records.put({ ...place, parent: user, value: "{}", claim: true, expiresAt });
    }
  }
}
