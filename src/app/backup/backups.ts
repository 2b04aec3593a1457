import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import {
  backUpDatabase,
  checkDatabase,
  requireUnused,
  restoreDatabase,
} from "../../providers/store/sqlite/backup.ts";
import { DATABASE_FILE } from "../../providers/store/sqlite/open-database.ts";
import { type Clock, systemClock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { withFileLock } from "../../shared/files/file-lock.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { replaceFile } from "../../shared/files/replace-file.ts";
import { packageVersion } from "../process/version.ts";
import { checkSpace } from "./check-space.ts";
import { bringDocumentsBack, copyDocuments } from "./documents-backup.ts";
import { copyTree } from "./copy-tree.ts";

const Manifest = z.object({
  /** Unix milliseconds. */
  madeAt: z.number(),
  /** The program that made it. */
  version: z.string(),
  reason: z.enum(["asked", "update", "restore"]),
  /** What it takes beside the files that it shares with the home. */
  bytes: z.number(),
});

/** A backup of a home, and what it was made for: because somebody asked, or before an update or a restore. */
export interface Backup extends Readonly<z.output<typeof Manifest>> {
  readonly name: string;
  /** The folder that holds the home as it was. */
  readonly home: string;
}

const MANIFEST = "backup.json";
const DRAFT = ".draft";
/** Backups before updates and restores beyond these make room by themselves. */
const KEPT = 5;

/** Names at the top of a home that are not copied as they are: databases, what they name, and what can be made again. */
const APART =
  /^(?:state\..*|search-\d+\.db.*|blobs|pieces|checkpoints|kb|cache|logs|backups|versions|profiles|.*\.lock)$/;
const isPlain = (name: string): boolean => !APART.test(name);

/**
 * The backups of a home, in its folder `backups`: each is a home as it was at one moment, with sessions and all other
 * records, settings, secrets, memory and skills. It shares the files of sessions, which never change, with the home.
 */
export class Backups {
  readonly #home: string;
  readonly #folder: string;
  readonly #clock: Clock;

  constructor(home: string, clock = systemClock) {
    this.#home = home;
    this.#folder = join(home, "backups");
    this.#clock = clock;
  }

  /** All of them, the newest first. */
  list(): readonly Backup[] {
    if (!existsSync(this.#folder)) return [];
    const found = readdirSync(this.#folder).flatMap((name) => this.#read(name) ?? []);
    return found.toSorted((one, other) => other.madeAt - one.madeAt);
  }

  /** @throws HostError `not_found` */
  find(name: string): Backup {
    const found = this.list().find((each) => each.name === name);
    if (found !== undefined) return found;
    throw new HostError("not_found", `There is no backup ${name}. \`agent backup list\` shows them.`);
  }

  /** Makes a backup while the home is in use. @throws HostError `not_found` in an empty home, `store_*`, `timeout` */
  make(reason: Exclude<Backup["reason"], "restore">): Promise<Backup> {
    return this.#make(reason);
  }

  /**
   * Brings the home back to what it was. What it is now is backed up first, if it can be read. Files that came later stay.
   *
   * @throws HostError `not_found`, `store_corrupt`, `store_unavailable` while a process has the home open
   */
  async restore(name: string): Promise<Backup | undefined> {
    const { home } = this.find(name);
    requireUnused(this.#home);
    checkDatabase(join(home, DATABASE_FILE));
    const before = await this.#make("restore", name).catch(lostHome);
    await copyTree(join(home, "blobs"), join(this.#home, "blobs"), { shares: true });
    await restoreDatabase(join(home, DATABASE_FILE), this.#home);
    await copyTree(join(home, "pieces"), join(this.#home, "pieces"));
    await bringDocumentsBack(home, this.#home);
    await copyTree(home, this.#home, { takes: isPlain });
    return before;
  }

  /** @throws HostError `not_found` */
  async remove(name: string): Promise<void> {
    const { name: found } = this.find(name);
    const going = join(this.#folder, `${DRAFT}-${found}`);
    await rename(join(this.#folder, found), going);
    await rm(going, { recursive: true, force: true });
  }

  /** @param needed - a backup that makes no room for this one */
  async #make(reason: Backup["reason"], needed?: string): Promise<Backup> {
    if (!existsSync(join(this.#home, DATABASE_FILE)))
      throw new HostError("not_found", `${this.#home} has no sessions yet: there is nothing to back up.`);
    makeFolder(this.#folder);
    return await this.#alone(async () => {
      await checkSpace(this.#home);
      const draft = join(this.#folder, DRAFT);
      await rm(draft, { recursive: true, force: true });
      const bytes = await this.#copyHome(join(draft, "home"));
      const madeAt = this.#clock.now();
      const manifest = { madeAt, version: packageVersion(), reason, bytes };
      replaceFile(join(draft, MANIFEST), JSON.stringify(manifest), 0o600);
      const name = this.#freeName(madeAt);
      await rename(draft, join(this.#folder, name));
      await this.#makeRoom(needed);
      return this.find(name);
    });
  }

  async #copyHome(to: string): Promise<number> {
    for (const name of ["blobs", "pieces"]) makeFolder(join(to, name));
    let bytes = await copyTree(this.#home, to, { takes: isPlain });
    const share = (): Promise<number> => this.#copyPart("blobs", to, { shares: true });
    // Before and after the database: it names none that is not there then.
    bytes += await share();
    await backUpDatabase(join(this.#home, DATABASE_FILE), join(to, DATABASE_FILE));
    bytes += await share();
    bytes += await copyDocuments(this.#home, to);
    return bytes + (await this.#copyPart("pieces", to)) + statSync(join(to, DATABASE_FILE)).size;
  }

  async #copyPart(name: string, to: string, options?: Parameters<typeof copyTree>[2]): Promise<number> {
    const from = join(this.#home, name);
    return existsSync(from) ? await copyTree(from, join(to, name), options) : 0;
  }

  #read(name: string): Backup | undefined {
    if (name.startsWith(".")) return undefined;
    try {
      const manifest = Manifest.parse(JSON.parse(readFileSync(join(this.#folder, name, MANIFEST), "utf8")));
      return { ...manifest, name, home: join(this.#folder, name, "home") };
    } catch {
      // Something else that somebody has put there.
      return undefined;
    }
  }

  #freeName(madeAt: number): string {
    const time = new Date(madeAt).toISOString().slice(0, 19).replaceAll(":", "-");
    const taken = new Set(readdirSync(this.#folder));
    let name = time;
    for (let count = 2; taken.has(name); count += 1) name = `${time}-${count}`;
    return name;
  }

  async #makeRoom(needed: string | undefined): Promise<void> {
    const own = this.list().filter(({ reason, name }) => reason !== "asked" && name !== needed);
    for (const { name } of own.slice(KEPT)) await this.remove(name);
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = new AbortController();
    return await withFileLock(join(this.#folder, ".lock"), work, { clock: this.#clock, signal });
  }
}

/** A home that is empty or damaged leaves nothing to back up. */
function lostHome(thrown: unknown): undefined {
  const isLost =
    thrown instanceof HostError && (thrown.code === "not_found" || thrown.code === "store_corrupt");
  if (!isLost) throw thrown;
}
