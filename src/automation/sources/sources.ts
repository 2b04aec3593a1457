import { stat } from "node:fs/promises";
import { isAbsolute, resolve, sep } from "node:path";
import type { Clock } from "../../shared/async/clock.ts";
import type { RandomHex } from "../../shared/crypto/random-hex.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { visibleInLine } from "../../shared/text/visible.ts";
import { collectionName } from "../../providers/kb/collection-name.ts";
import { readSchedule } from "../jobs/read-schedule.ts";
import { nextDue, type Schedule } from "../jobs/schedule.ts";
import { whyUnread } from "./read-file.ts";
import type { Source, SourceLibrary, SourceReading } from "./source.ts";
import type { SourceRecords } from "./source-records.ts";

/** The parts that sources are checked and kept with. */
export interface SourcesParts {
  readonly records: SourceRecords;
  readonly library: () => Promise<Pick<SourceLibrary, "known" | "remove">>;
  readonly clock: Pick<Clock, "now">;
  readonly hex: RandomHex;
  /** IANA name of the zone in which schedules are meant. */
  readonly zone: string;
}

/** A source as somebody asks for it. */
export interface SourceDraft {
  /** An absolute path, or an address. */
  readonly location: string;
  readonly collection: string;
  /** `every 1h`, `daily`, …; without it, it is read when somebody asks. */
  readonly every?: string;
}

const MOST = 1000;

/** Whether a location is an address, and no path. */
export const isAddress = (location: string): boolean => /^https?:\/\//i.test(location);

/** The sources of a home: added, changed, removed, and asked to be read. Whichever process serves the home reads them. */
export class Sources {
  readonly #parts: SourcesParts;

  constructor(parts: SourcesParts) {
    this.#parts = parts;
  }

  /** Oldest first. */
  list(): Promise<readonly Source[]> {
    return this.#parts.records.list();
  }

  /** @throws HostError `not_found` */
  async get(id: string): Promise<Source> {
    const source = await this.#parts.records.sources.get(id);
    if (source === undefined) throw noSource(id);
    return source;
  }

  /** Whether another machine reads a source, for its path is there. */
  isElsewhere({ machine }: Source): boolean {
    return machine !== undefined && machine !== this.#parts.records.machine;
  }

  /** The reading that is asked for or under way. */
  async reading(id: string): Promise<SourceReading | undefined> {
    const { records } = this.#parts;
    return await records.readingsOf((await records.sources.get(id)) ?? {}).get(id);
  }

  /**
   * Adds a source and asks for its first reading. One that is there already gets the new schedule, and is read again.
   *
   * @throws HostError `invalid_params`, `conflict` for a folder that another source reads too
   */
  async add({ location: given, collection: named, every }: SourceDraft): Promise<Source> {
    const { records, clock, hex } = this.#parts;
    const { location, kind } = await place(given);
    const collection = collectionName(named);
    const all = (await this.list()).filter((each) => each.collection === collection);
    const known = all.find((each) => each.location === location);
    if (known !== undefined) return await this.#addAgain(known, every);
    const around = kind === "address" ? undefined : all.find((each) => overlaps(each, location));
    if (around !== undefined)
      throw new HostError(
        "conflict",
        `${around.location} is read for ${collection} already, and shares files with ${location}. Remove it first, or use another collection.`,
      );
    if (all.length >= MOST)
      throw new HostError("conflict", `${collection} has ${MOST} sources already. Remove one first.`);
    const now = clock.now();
    const id = `s_${hex(6)}`;
    const at = this.#machineOf(kind);
    const source: Source = { id, kind, location, collection, ...at, addedAt: now, ...this.#times(every) };
    await records.sources.add(source);
    await this.read(id);
    return source;
  }

  /** What was removed of it before is wanted now, and its path is that of this machine. */
  async #addAgain({ id, kind }: Source, every: string | undefined): Promise<Source> {
    const times = every === undefined ? undefined : this.#times(every);
    const changed = await this.#change(id, ({ excluded: _excluded, machine: _machine, ...rest }) => {
      const source = { ...rest, ...this.#machineOf(kind) };
      return times === undefined ? source : withTimes(source, times);
    });
    await this.read(id);
    return changed;
  }

  #machineOf(kind: Source["kind"]): Pick<Source, "machine"> {
    const { machine } = this.#parts.records;
    return kind === "address" ? {} : defined({ machine });
  }

  /** Gives a source another schedule, or none. @throws HostError `not_found`, `invalid_params` */
  async change(id: string, every: string | null): Promise<Source> {
    const times = this.#times(every ?? undefined);
    return await this.#change(id, (source) => withTimes(source, times));
  }

  /** Leaves a file of a folder out from now on. @throws HostError `not_found` */
  async exclude(id: string, origin: string): Promise<void> {
    await this.#change(id, (source) => ({
      ...source,
      excluded: [...new Set([...(source.excluded ?? []), origin])],
    }));
  }

  async #change(id: string, change: (source: Source) => Source): Promise<Source> {
    const changed = await this.#parts.records.sources.change(id, change);
    if (changed === undefined) throw noSource(id);
    return changed;
  }

  /** Removes a source with all its documents. @throws HostError `not_found` */
  async remove(id: string): Promise<Source> {
    const { records } = this.#parts;
    const source = await this.get(id);
    const library = await this.#parts.library();
    await records.sources.remove(id);
    await records.readingsOf(source).remove(id);
    // Who reads it now looks for it after each document, and takes away what it adds from here on.
    await library.remove((await library.known(id)).map((document) => document.id));
    return source;
  }

  /**
   * Asks for a source to be read as soon as possible.
   *
   * @param again - also what has not changed
   * @throws HostError `not_found`
   */
  async read(id: string, again = false): Promise<void> {
    const source = await this.get(id);
    // Somebody waits for it: it goes before what is only due.
    await this.#parts.records.readingsOf(source).add({ source: id, dueAt: 0, again });
  }

  /** @throws HostError `invalid_params` */
  #times(every: string | undefined): Times {
    if (every === undefined) return {};
    const { clock, zone } = this.#parts;
    const now = clock.now();
    const schedule: Schedule = readSchedule(every, { now, zone });
    if (schedule.kind === "once")
      throw new HostError(
        "invalid_params",
        `"${visibleInLine(every)}" is one moment. Write how often it is read again, such as "every 1h" or "daily".`,
      );
    return defined({ schedule, nextReadAt: nextDue(schedule, { after: now, zone, anchor: now }) });
  }
}

type Times = Pick<Source, "schedule" | "nextReadAt">;

const withTimes = (source: Source, times: Times): Source => {
  const { schedule: _schedule, nextReadAt: _next, ...rest } = source;
  return { ...rest, ...times };
};

async function place(given: string): Promise<Pick<Source, "location" | "kind">> {
  if (isAddress(given)) {
    const url = URL.parse(given);
    if (url === null || url.username !== "" || url.password !== "")
      throw new HostError(
        "invalid_params",
        `${visibleInLine(given)} is no address that can be read. Write a whole one without a password, such as https://example.com/handbook.`,
      );
    url.hash = "";
    return { location: url.href, kind: "address" };
  }
  if (!isAbsolute(given))
    throw new HostError(
      "invalid_params",
      `${visibleInLine(given)} is neither an address nor a whole path. Write one such as /srv/handbook or https://example.com/handbook.`,
    );
  const location = resolve(given);
  const found = await stat(location).catch((thrown: unknown) => {
    throw new HostError(
      "invalid_params",
      `${visibleInLine(location)} cannot be read: ${whyUnread(thrown)}.`,
      {
        cause: thrown,
      },
    );
  });
  if (found.isDirectory()) return { location, kind: "folder" };
  if (found.isFile()) return { location, kind: "file" };
  throw new HostError("invalid_params", `${visibleInLine(location)} is neither a file nor a folder.`);
}

const overlaps = ({ kind, location }: Source, other: string): boolean =>
  kind !== "address" && (isIn(location, other) || isIn(other, location));

const isIn = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

export const noSource = (id: string): HostError =>
  new HostError(
    "not_found",
    `There is no source ${visibleInLine(id)}. \`agent kb list\` lists those that there are.`,
  );
