import type { Clock } from "../../shared/async/clock.ts";
import type { RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { HomeTexts } from "../config/home-texts.ts";

const SPACE = "home.texts";
/** More than there are texts. */
const MOST = 100;
/** Milliseconds after which what another machine has written is seen. */
const FRESH_MS = 1000;
/** Writes of others that may get in between before a change is given up. */
const TRIES = 100;

/**
 * The texts of a home as records that machines share. Reading is from memory: a text that another machine changes is seen
 * within a second or two, and a change is always made to the newest one.
 */
export class SharedTexts implements HomeTexts, Disposable {
  readonly #records: Records;
  readonly #clock: Clock;
  #known: ReadonlyMap<string, string> = new Map();
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(records: Records, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  /** Reads all texts as they are now. @throws HostError `store_*` */
  async refresh(): Promise<void> {
    const records = await this.#records.list({ space: SPACE, limit: MOST });
    this.#known = new Map(records.map((record) => [record.key, textOf(record)]));
  }

  /** Follows what other machines write, until it is disposed. */
  follow(): void {
    if (this.#closed) return;
    this.#cancel = this.#clock.after(FRESH_MS, () => {
      // While the store does not answer, what was known holds on.
      void this.refresh()
        .catch(() => undefined)
        .then(() => this.follow());
    });
  }

  where(name: string): string {
    return `${name} in the database that the machines share`;
  }

  read(name: string): string {
    return this.#known.get(name) ?? "";
  }

  async change(name: string, change: (before: string) => string): Promise<void> {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const record = await this.#records.get(SPACE, name);
      const text = change(record === undefined ? "" : textOf(record));
      const draft = textDraft(name, text);
      const isDone =
        record === undefined
          ? (await this.#records.add(draft)).added
          : (await this.#records.replace(draft, record.version)) !== undefined;
      if (!isDone) continue;
      this.#known = new Map(this.#known).set(name, text);
      return;
    }
    throw new HostError("conflict", `${this.where(name)} is being changed by others; try again.`);
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#cancel?.();
  }
}

/** The record that holds a text of a home. */
export const textDraft = (name: string, text: string): RecordDraft => ({
  space: SPACE,
  key: name,
  value: JSON.stringify({ text }),
});

function textOf({ value }: StoredRecord): string {
  // Nothing else writes this space.
  const { text } = JSON.parse(value) as { readonly text: string };
  return text;
}
