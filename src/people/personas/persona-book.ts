import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import type { Clock, RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { type PersonaFields, PersonaVersion, readPersona } from "./persona-fields.ts";

const SPACE = "people.personas";
/** Older versions lie beside: whoever looks for personas does not read them. */
const OLDER = "people.personas.older";
const REVISION = "people.personas.revision";
const MOST_PERSONAS = 500;
const READ_AT_ONCE = 100;
/** Versions of one persona that are kept, the newest. */
const MOST_VERSIONS = 30;

/** The newest version; of a removed persona `last` holds what it had. */
const newestWire = later(() => PersonaVersion.extend({ last: PersonaVersion.shape.fields }));
type Newest = z.output<ReturnType<typeof newestWire>>;
const olderWire = later(() => z.array(PersonaVersion));

/** A persona that people edit, as it is now. */
export interface SavedPersona extends PersonaVersion {
  readonly name: string;
  readonly fields: PersonaFields;
}

/** All personas that people ever edited. */
export interface EditedPersonas {
  /** In the order in which they were first made. */
  readonly saved: readonly SavedPersona[];
  /** The last fields of those that were removed, by name. */
  readonly removed: ReadonlyMap<string, PersonaFields>;
}

/** A change of a persona: who makes it, and the version that they saw; 0 when they saw none. */
export interface PersonaChange {
  readonly by: string;
  readonly version?: number;
}

/** The personas that people edit, with their versions, as records of the home that all its processes share. */
export class PersonaBook {
  readonly #records: Records;
  readonly #clock: Clock;

  constructor(records: Records, { clock }: { readonly clock: Clock }) {
    this.#records = records;
    this.#clock = clock;
  }

  async all(): Promise<EditedPersonas> {
    const saved: SavedPersona[] = [];
    const removed = new Map<string, PersonaFields>();
    for (const { key: name, value } of await this.#read()) {
      const { fields, last, ...version } = newestIn(value);
      if (fields !== undefined) saved.push({ ...version, name, fields });
      else if (last !== undefined) removed.set(name, last);
    }
    return { saved, removed };
  }

  /** The versions of a persona, the newest first; also of one that was removed. */
  async versions(name: string): Promise<readonly PersonaVersion[]> {
    const record = await this.#records.get(SPACE, name);
    if (record === undefined) return [];
    const { last: _last, ...newest } = newestIn(record.value);
    return [newest, ...(await this.#older(name, newest.version))];
  }

  /** Makes a persona, or changes it. @throws HostError `invalid_params`, `conflict` when somebody else changed it */
  async save(name: string, given: unknown, change: PersonaChange): Promise<SavedPersona> {
    const fields = readPersona(name, given);
    return { ...(await this.#write(name, fields, change)), name, fields };
  }

  /** Removes a persona; its versions stay, and `save` brings one back. @throws HostError `not_found`, `conflict` */
  async remove(name: string, change: PersonaChange): Promise<void> {
    const [newest] = await this.versions(name);
    if (newest?.fields === undefined)
      throw new HostError("not_found", `There is no persona ${name} to remove.`);
    await this.#write(name, undefined, change);
  }

  /** Rises with every change of any persona. */
  async revision(): Promise<number> {
    return (await this.#records.get(REVISION, REVISION))?.version ?? 0;
  }

  async #read(): Promise<readonly StoredRecord[]> {
    const all: StoredRecord[] = [];
    for (;;) {
      const after = all.at(-1)?.position ?? 0;
      const page = await this.#records.list({ space: SPACE, after, limit: READ_AT_ONCE });
      all.push(...page);
      if (page.length < READ_AT_ONCE) return all;
    }
  }

  async #older(name: string, before: number): Promise<readonly PersonaVersion[]> {
    const record = await this.#records.get(OLDER, name);
    if (record === undefined) return [];
    return olderWire()
      .parse(JSON.parse(record.value))
      .filter(({ version }) => version < before);
  }

  async #write(
    name: string,
    fields: PersonaFields | undefined,
    { by, version }: PersonaChange,
  ): Promise<PersonaVersion> {
    const record = await this.#records.get(SPACE, name);
    if (record === undefined && (await this.#read()).length >= MOST_PERSONAS)
      throw new HostError(
        "limit_exceeded",
        `There are ${MOST_PERSONAS} personas, removed ones among them: change one of them instead.`,
      );
    const before = record === undefined ? undefined : newestIn(record.value);
    const seen = before?.version ?? 0;
    const next = {
      version: seen + 1,
      at: this.#clock.now(),
      by,
      ...(fields === undefined ? {} : { fields }),
    };
    const isSeen =
      version === undefined || version === (before?.fields === undefined ? 0 : seen) || version === seen;
    if (!isSeen || !(await this.#put({ name, next, before }, record))) throw changedMeanwhile(name, before);
    await this.#records.put({ space: REVISION, key: REVISION, value: "{}" });
    return next;
  }

  /** Writes the newest version where there is still what was read; `false`: somebody was faster. */
  async #put(
    {
      name,
      next,
      before,
    }: { readonly name: string; readonly next: PersonaVersion; readonly before: Newest | undefined },
    record: StoredRecord | undefined,
  ): Promise<boolean> {
    const last = next.fields === undefined ? before?.fields : undefined;
    const value = JSON.stringify({ ...next, ...(last === undefined ? {} : { last }) });
    const draft: RecordDraft = { space: SPACE, key: name, value };
    if (record === undefined || before === undefined) return (await this.#records.add(draft)).added;
    // The one that is replaced is kept first: who is cut off in between has lost nothing.
    const { last: _last, ...old } = before;
    const older = [old, ...(await this.#older(name, old.version))].slice(0, MOST_VERSIONS - 1);
    await this.#records.put({ space: OLDER, key: name, value: JSON.stringify(older) });
    return (await this.#records.replace(draft, record.version)) !== undefined;
  }
}

const newestIn = (value: string): Newest => newestWire().parse(JSON.parse(value));

const changedMeanwhile = (name: string, now: Newest | undefined): HostError =>
  new HostError(
    "conflict",
    now === undefined
      ? `There is no persona ${name} any more. Nothing was saved: look at the list anew.`
      : `Somebody else changed the persona ${name} meanwhile: ${now.by} ${now.fields === undefined ? "removed it" : `saved version ${now.version}`}. Nothing was saved: look at that one, then change it.`,
    { details: { subject: name, ...(now === undefined ? {} : { version: now.version }) } },
  );
