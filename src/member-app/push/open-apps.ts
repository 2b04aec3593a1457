import type { Clock, Records } from "../../core/index.ts";

const SPACE = "app.open";
/** A note that nobody renews counts no more. */
const LONGEST_MS = 12 * 3_600_000;
/** Milliseconds from one look at the notes to the next. */
const LOOK_MS = 60_000;
const MOST = 200;

/** The parts that open apps are noted with. */
export interface OpenAppsParts {
  readonly records: Pick<Records, "list" | "put" | "remove">;
  readonly clock: Pick<Clock, "now" | "after">;
  /** This host among those that share the records. */
  readonly hostId: string;
  /** Whether anybody asks about a user: nothing is noted of others. */
  readonly isWanted: (user: string) => Promise<boolean>;
}

/**
 * The members who have the app open before them: those with an event stream to it, at any host of the home. What is noted for the other
 * hosts is claimed, so that it does not count when its host is gone. A host that was cut off loses its claims, and a write may fail:
 * while there are notes, it is looked whether they stand.
 */
export class OpenApps implements AsyncDisposable {
  readonly #parts: OpenAppsParts;
  readonly #streams = new Map<string, number>();
  /** Users of whom there may be a note. */
  readonly #noted = new Set<string>();
  #cancelLook: (() => void) | undefined;
  /** The last look at the notes. */
  #looked: Promise<void> = Promise.resolve();
  #closed = false;
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
    return this.#note(user, false);
  }

  /** Resolves when the other hosts know of all streams. */
  async noted(): Promise<void> {
    await this.#looked;
    await Promise.all(this.#noting.values());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#cancelLook?.();
    await this.noted();
  }

  /** @param isLost - the note of an open app is written though it should be there */
  #note(user: string, isLost: boolean): Promise<void> {
    const last = (this.#noting.get(user) ?? Promise.resolve())
      .then(() => this.#write(user, isLost))
      // A member whose host could not say so is told once more than need be, until the next look.
      .catch(() => undefined)
      .finally(() => {
        if (this.#noting.get(user) === last) this.#noting.delete(user);
        this.#lookLater();
      });
    this.#noting.set(user, last);
    return last;
  }

  #add(user: string, change: 1 | -1): void {
    const count = (this.#streams.get(user) ?? 0) + change;
    if (count === 0) this.#streams.delete(user);
    else this.#streams.set(user, count);
    if (this.#streams.has(user) !== this.#noted.has(user)) void this.note(user);
  }

  async #write(user: string, isLost: boolean): Promise<void> {
    const { records, clock, isWanted } = this.#parts;
    const isOpen = this.#streams.has(user);
    if (isOpen === this.#noted.has(user) && !(isOpen && isLost)) return;
    if (!isOpen) return await this.#remove(user);
    this.#noted.add(user);
    if ((await isWanted(user)) && this.#streams.has(user)) {
      const expiresAt = clock.now() + LONGEST_MS;
      const key = this.#keyOf(user);
      await records.put({ space: SPACE, key, parent: user, value: "{}", claim: true, expiresAt });
    } else if (isLost) await this.#remove(user);
    else this.#noted.delete(user);
  }

  async #remove(user: string): Promise<void> {
    await this.#parts.records.remove(SPACE, this.#keyOf(user));
    this.#noted.delete(user);
    // They came back meanwhile, and counted as noted.
    if (this.#streams.has(user)) void this.note(user);
  }

  #lookLater(): void {
    if (this.#closed || this.#noted.size === 0 || this.#cancelLook !== undefined) return;
    this.#cancelLook = this.#parts.clock.after(LOOK_MS, () => {
      this.#looked = this.#look()
        // The next look sees them.
        .catch(() => undefined)
        .then(() => {
          this.#cancelLook = undefined;
          this.#lookLater();
        });
    });
  }

  /** Writes what is lost or soon over, and removes what should be gone. */
  async #look(): Promise<void> {
    const standing = await this.#standing();
    if (this.#closed) return;
    const wrong = [...this.#noted].filter(
      (user) => !this.#streams.has(user) || !standing.has(this.#keyOf(user)),
    );
    await Promise.all(wrong.map((user) => this.#note(user, true)));
  }

  /** The keys of this host's notes that count for a long time yet. */
  async #standing(): Promise<ReadonlySet<string>> {
    const { records, clock, hostId } = this.#parts;
    const standing = new Set<string>();
    for (let after: number | undefined, more = true; more;) {
      const notes = await records.list({ space: SPACE, limit: MOST, ...(after !== undefined && { after }) });
      for (const { key, claim, expiresAt = 0 } of notes)
        if (claim?.hostId === hostId && expiresAt > clock.now() + LONGEST_MS / 2) standing.add(key);
      after = notes.at(-1)?.position;
      more = notes.length === MOST;
    }
    return standing;
  }

  readonly #keyOf = (user: string): string => `${user}\n${this.#parts.hostId}`;
}
