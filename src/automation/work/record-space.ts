import { defined } from "../../shared/json/defined.ts";
import type { RecordDraft, RecordQuery, Records, StoredRecord } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** The form of one kind of record. */
export interface RecordForm<T> {
  readonly space: string;
  /** The name of its kind in messages: `Job`. */
  readonly name: string;
  /** Makes the record of a value; its claim counts when the value is changed. */
  readonly encode: (value: T) => RecordDraft;
}

/** A page of values. */
export interface ValuePage<T> {
  readonly values: readonly T[];
  /** Where the next page begins; absent at the end. */
  readonly next?: number;
}

/** Writes that others may get in between before a change is given up. */
const TRIES = 20;
/** Records that a page reads at once, and those that it looks through for what is wanted. */
const AT_ONCE = 200;
const LOOKED_THROUGH = 5000;

/** The records of one kind, whose values are JSON. Nothing else writes its space. */
export class RecordSpace<T> {
  readonly #records: Records;
  readonly #form: RecordForm<T>;
  /** What this process has claimed and could not deal with yet. */
  readonly #left = new Map<string, T>();

  constructor(records: Records, form: RecordForm<T>) {
    this.#records = records;
    this.#form = form;
  }

  async get(key: string): Promise<T | undefined> {
    const record = await this.#records.get(this.#form.space, key);
    return record && this.read(record);
  }

  async list(query: Omit<RecordQuery, "space">): Promise<readonly T[]> {
    return (await this.#records.list({ ...query, space: this.#form.space })).map((record) =>
      this.read(record),
    );
  }

  /**
   * A page of what is wanted, which may be short, or empty, although more follows.
   *
   * @param query - its `after` is the `next` of the page before
   */
  async page(
    query: Omit<RecordQuery, "space">,
    isWanted: (value: T) => boolean = () => true,
  ): Promise<ValuePage<T>> {
    const { limit } = query;
    const { space } = this.#form;
    const values: T[] = [];
    let next = query.after;
    for (let looked = 0; looked < LOOKED_THROUGH; looked += AT_ONCE) {
      const found = await this.#records.list({
        ...query,
        space,
        limit: AT_ONCE,
        ...defined({ after: next }),
      });
      for (const record of found) {
        const value = this.read(record);
        const isOne = isWanted(value);
        if (isOne && values.length === limit) return { values, ...defined({ next }) };
        if (isOne) values.push(value);
        next = record.position;
      }
      if (found.length < AT_ONCE) return { values };
    }
    return { values, ...defined({ next }) };
  }

  /** What was added after a position, the oldest first, and where to go on; the same position when nothing was. */
  async follow(
    after: number,
    limit: number,
  ): Promise<{ readonly values: readonly T[]; readonly next: number }> {
    const found = await this.#records.list({ space: this.#form.space, after, limit });
    return { values: found.map((record) => this.read(record)), next: found.at(-1)?.position ?? after };
  }

  /** Values that are due, claimed for this process. */
  async claimDue(limit: number): Promise<readonly T[]> {
    return (await this.#records.claimDue(this.#form.space, limit)).map((record) => this.read(record));
  }

  /**
   * Claims all that is due and hands it out, each value at once. One that fails comes again with the next call, while it is still this
   * process's: nobody else gets it.
   *
   * @throws what the first one failed with, after all others
   */
  async takeDue(take: (value: T) => Promise<void>): Promise<void> {
    for (const key of this.#left.keys()) if (!(await this.isClaimed(key))) this.#left.delete(key);
    const failures: unknown[] = [];
    for (;;) {
      const due = await this.#records.claimDue(this.#form.space, AT_ONCE);
      for (const record of due) this.#left.set(record.key, this.read(record));
      for (const [key, value] of this.#left)
        await take(value).then(
          () => this.#left.delete(key),
          (thrown: unknown) => failures.push(thrown),
        );
      if (failures.length > 0) throw failures[0];
      if (due.length < AT_ONCE) return;
    }
  }

  /** Whether this process works on a value. */
  async isClaimed(key: string): Promise<boolean> {
    const record = await this.#records.get(this.#form.space, key);
    return record?.claim?.hostId === this.#records.hostId;
  }

  /** Adds a value unless its key is taken. @param claim - this process works on it */
  async add(value: T, claim = false): Promise<boolean> {
    return (await this.#records.add({ ...this.#form.encode(value), claim })).added;
  }

  remove(key: string): Promise<boolean> {
    return this.#records.remove(this.#form.space, key);
  }

  /**
   * Changes a value on its newest state.
   *
   * @param change - called again when another process wrote the record meanwhile; `undefined` leaves it as it is
   * @returns the value as it is now, `undefined` when there is none
   * @throws HostError `conflict` when others change the record all the time
   */
  async change(key: string, change: (value: T) => T | undefined): Promise<T | undefined> {
    const { space, name, encode } = this.#form;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const record = await this.#records.get(space, key);
      if (record === undefined) return undefined;
      const known = this.read(record);
      const changed = change(known);
      if (changed === undefined) return known;
      if ((await this.#records.replace(encode(changed), record.version)) !== undefined) return changed;
    }
    throw new HostError("conflict", `${name} ${key} is being changed by others; try again.`);
  }

  read({ value }: StoredRecord): T {
    // Nothing else writes this space.
    return JSON.parse(value) as T;
  }
}
