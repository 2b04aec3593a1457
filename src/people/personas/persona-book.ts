import { z } from "zod";
import type { Clock, RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { PersonaFields, PersonaName, PersonaVersion } from "./persona-fields.ts";

const SPACE = "people.personas";
const REVISION = "people.personas.revision";
const MOST_PERSONAS = 500;
/** Versions of one persona that are kept, the newest. */
const MOST_VERSIONS = 30;

const Stored = z.array(PersonaVersion);

/** A persona that people edit, as it is now. */
export interface SavedPersona extends PersonaVersion {
  readonly name: string;
  readonly fields: PersonaFields;
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

  /** Those that there are, in the order in which they were first made. */
  async list(): Promise<readonly SavedPersona[]> {
    const records = await this.#records.list({ space: SPACE, limit: MOST_PERSONAS });
    return records.flatMap((record) => {
      const newest = versionsOf(record)[0];
      return newest?.fields === undefined ? [] : [{ ...newest, name: record.key, fields: newest.fields }];
    });
  }

  /** The versions of a persona, the newest first; also of one that was removed. */
  async versions(name: string): Promise<readonly PersonaVersion[]> {
    const record = await this.#records.get(SPACE, name);
    return record === undefined ? [] : versionsOf(record);
  }

  /** Makes a persona, or changes it. @throws HostError `invalid_params`, `conflict` when somebody else changed it */
  async save(name: string, fields: unknown, change: PersonaChange): Promise<SavedPersona> {
    const read = PersonaFields.safeParse(fields);
    const named = PersonaName.safeParse(name);
    const [issue] = [...(named.error?.issues ?? []), ...(read.error?.issues ?? [])];
    if (!read.success || issue !== undefined)
      throw new HostError(
        "invalid_params",
        `The persona ${name} was not saved: ${[...(issue?.path ?? []), ""].join(": ")}${issue?.message ?? ""}. Correct it and save again.`,
      );
    return { ...(await this.#write(name, read.data, change)), name, fields: read.data };
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

  async #write(
    name: string,
    fields: PersonaFields | undefined,
    { by, version }: PersonaChange,
  ): Promise<PersonaVersion> {
    const record = await this.#records.get(SPACE, name);
    const before = record === undefined ? [] : versionsOf(record);
    const seen = before[0]?.version ?? 0;
    const next: PersonaVersion = {
      version: seen + 1,
      at: this.#clock.now(),
      by,
      ...(fields === undefined ? {} : { fields }),
    };
    const value = JSON.stringify([next, ...before].slice(0, MOST_VERSIONS));
    const draft = { space: SPACE, key: name, value };
    const isSeen = version === undefined || version === seen;
    if (!isSeen || !(await this.#put(draft, record)))
      throw new HostError(
        "conflict",
        `Somebody else changed the persona ${name} meanwhile. Nothing was saved: look at it anew, then change it.`,
      );
    await this.#records.put({ space: REVISION, key: REVISION, value: "{}" });
    return next;
  }

  /** Writes a record where there is still what was read; `false`: somebody was faster. */
  async #put(draft: RecordDraft, before: StoredRecord | undefined): Promise<boolean> {
    if (before === undefined) return (await this.#records.add(draft)).added;
    return (await this.#records.replace(draft, before.version)) !== undefined;
  }
}

const versionsOf = ({ value }: StoredRecord): readonly PersonaVersion[] => Stored.parse(JSON.parse(value));
