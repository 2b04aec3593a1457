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

/** The records of one kind, whose values are JSON. Nothing else writes its space. */
export class RecordSpace<T> {
  readonly #records: Records;
  readonly #form: RecordForm<T>;

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

  /** @param query - its `after` is the `next` of the page before */
  async page(query: Omit<RecordQuery, "space">): Promise<ValuePage<T>> {
    const { limit } = query;
    const found = await this.#records.list({ ...query, space: this.#form.space, limit: limit + 1 });
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    return {
      values: shown.map((record) => this.read(record)),
      ...(found.length > limit && last !== undefined ? { next: last.position } : {}),
    };
  }

  /** Values that are due, claimed for this process. */
  async claimDue(limit: number): Promise<readonly T[]> {
    return (await this.#records.claimDue(this.#form.space, limit)).map((record) => this.read(record));
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
