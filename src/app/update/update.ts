import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkDatabase, restoreDatabase } from "../../providers/store/sqlite/backup.ts";
import { DATABASE_FILE } from "../../providers/store/sqlite/open-database.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { withFileLock } from "../../shared/files/file-lock.ts";
import { makeFolder } from "../../shared/files/make-folder.ts";
import { type Backup, Backups } from "../backup/backups.ts";
import { listProfiles, profileHome } from "../config/profiles.ts";
import type { Io } from "../process/io.ts";
import { HomeServers } from "./home-servers.ts";
import { checkoutCommands, type Installation } from "./installation.ts";
import { tryVersion } from "./trial.ts";
import { type JournalEntry, UpdateJournal, type UpdateStep } from "./update-journal.ts";
import type { Versions } from "./versions.ts";

/** The parts of an update. */
export interface UpdateParts {
  readonly io: Io;
  /** The home that holds the profiles: its versions are those of all of them. */
  readonly base: string;
  /** The home of the profile that is used. */
  readonly home: string;
  readonly drainMs: number;
  readonly installation: Installation;
  readonly versions: Versions;
  /** Hears of each step, and of the end. */
  readonly told: (entry: JournalEntry) => Promise<void>;
}

/**
 * Puts another version in the place of this one: backs up, installs it beside, tries it on a copy, switches, and starts what
 * serves the home anew. It goes back when that is not healthy. Killed at any moment, it leaves a version that works.
 *
 * @throws HostError `conflict` in a checkout, or when the version is not healthy; `fetch_failed`, `store_*`, `timeout`
 */
export async function update(parts: UpdateParts, to: string): Promise<void> {
  const { base, installation } = parts;
  if (installation.isCheckout) throw inCheckout(installation);
  const folder = join(base, "versions");
  makeFolder(folder);
  const { signal } = new AbortController();
  await withFileLock(join(folder, ".lock"), () => new Update(parts, to).run(), {
    clock: systemClock,
    signal,
  });
}

/** A checkout is updated by its owner. */
const inCheckout = (installation: Installation): HostError =>
  new HostError(
    "conflict",
    `${installation.root} is a checkout. Update it with: ${checkoutCommands(installation).join(" && ")}`,
  );

class Update {
  readonly #parts: UpdateParts;
  readonly #journal: UpdateJournal;
  #entry: JournalEntry;

  constructor(parts: UpdateParts, to: string) {
    this.#parts = parts;
    this.#journal = new UpdateJournal(parts.base);
    const { pid } = parts.io;
    const from = parts.installation.version;
    this.#entry = { from, to, pid, step: "back-up", startedAt: systemClock.now() };
  }

  async run(): Promise<void> {
    try {
      await this.#work();
      await this.#end("done");
    } catch (thrown) {
      const { message } = toHostError(thrown);
      if (this.#entry.outcome === undefined) await this.#end("failed", message);
      throw thrown;
    }
  }

  async #work(): Promise<void> {
    const { versions, installation, home, base, io, drainMs } = this.#parts;
    const { to } = this.#entry;
    const before = versions.current(installation.base);
    await this.#step("back-up");
    const backups = await this.#backUp();
    await this.#step("install");
    await versions.install(to);
    await this.#step("try");
    const backup = backups.get(home);
    const tried = { program: versions.programOf(to), version: to };
    if (backup !== undefined)
      await tryVersion(tried, { backup, folder: join(base, "versions", ".trial"), own: io });
    await this.#step("switch");
    const servers = await HomeServers.find({ own: io, clock: systemClock, drainMs });
    versions.switchTo(to, installation.base);
    await this.#step("restart");
    try {
      await servers.startAnew(to);
    } catch (thrown) {
      await this.#goBack(before, { servers, backups, why: toHostError(thrown).message });
    }
    await versions.keepOnly([to, before]);
  }

  /** Backs up the home and those of its profiles: a new version may change the schema of each. */
  async #backUp(): Promise<ReadonlyMap<string, Backup>> {
    const { base } = this.#parts;
    const homes = [base, ...listProfiles(base).map((name) => profileHome(base, name))];
    const made = new Map<string, Backup>();
    for (const home of homes)
      if (existsSync(join(home, DATABASE_FILE))) made.set(home, await new Backups(home).make("update"));
    return made;
  }

  /** @throws HostError `conflict`, always: it says what became of the update */
  async #goBack(
    before: string | undefined,
    {
      servers,
      backups,
      why,
    }: {
      readonly servers: HomeServers;
      readonly backups: ReadonlyMap<string, Backup>;
      readonly why: string;
    },
  ): Promise<never> {
    const { versions, installation } = this.#parts;
    const { from } = this.#entry;
    versions.switchTo(before, installation.base);
    await servers.end();
    for (const [home, backup] of backups) await takeBackSchema(home, backup);
    const rest = await servers.bringBack(from).then(
      () => "",
      (thrown: unknown) => ` ${toHostError(thrown).message}`,
    );
    const message = `${why} Version ${from} is back in its place.${rest}`;
    await this.#end("went-back", message);
    throw new HostError("conflict", message);
  }

  async #step(step: UpdateStep): Promise<void> {
    await this.#note({ ...this.#entry, step });
  }

  async #end(outcome: "done" | "failed" | "went-back", message?: string): Promise<void> {
    const end = { endedAt: systemClock.now(), outcome, ...(message === undefined ? {} : { message }) };
    await this.#note({ ...this.#entry, ...end });
  }

  async #note(entry: JournalEntry): Promise<void> {
    this.#entry = entry;
    this.#journal.write(entry);
    await this.#parts.told(entry);
  }
}

/** A database that the newer version has changed is of no use to this one: it becomes what it was before the update. */
async function takeBackSchema(home: string, backup: Backup): Promise<void> {
  try {
    checkDatabase(join(home, DATABASE_FILE));
  } catch {
    await restoreDatabase(join(backup.home, DATABASE_FILE), home);
  }
}
