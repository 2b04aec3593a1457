import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { HostError } from "../../../shared/errors/host-error.ts";
import { removeIndex } from "../search/open-index.ts";
import { text } from "./columns.ts";
import { corrupt, isDamage, SQLITE, sqliteResult, storeFailure } from "./failure.ts";
import { DATABASE_FILE } from "./open-database.ts";
import { Database } from "./database.ts";
import { versionOf } from "./schema.ts";

/** Pages that are copied before others get a turn: 4 MB. */
const PAGES_AT_ONCE = 1000;
/** More pages than a database has. */
const ALL_PAGES = 2 ** 31 - 1;
/** Milliseconds for which a database that others are just closing is waited for. */
const WAIT_MS = 2000;

/**
 * Copies a database, as it is at one moment, while others go on writing to it.
 *
 * @param to - the new file; it needs no other files beside it
 * @throws HostError `store_*`
 */
export async function backUpDatabase(file: string, to: string): Promise<void> {
  try {
    using source = new DatabaseSync(file, { readOnly: true, timeout: WAIT_MS });
    // A snapshot that is held: without it each write of somebody else would make the copy begin again.
    source.exec("BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1");
    await backup(source, to, { rate: PAGES_AT_ONCE });
    using copy = new DatabaseSync(to);
    copy.exec("PRAGMA journal_mode = DELETE");
  } catch (thrown) {
    throw storeFailure(thrown, file);
  }
}

/**
 * Looks through a copy of a database, which takes time; gives the version of its schema.
 *
 * @throws HostError `store_corrupt` when it is damaged, `store_unavailable` when a newer program wrote it
 */
export function checkDatabase(file: string): number {
  return checkedDatabase(file, versionOf);
}

/** The same for a database beside the one of the home. @throws HostError `store_corrupt` */
export function checkSideDatabase(file: string): void {
  checkedDatabase(file, () => undefined);
}

function checkedDatabase<T>(file: string, look: (database: Database) => T): T {
  const database = new Database(file);
  try {
    const found = text(database.one("PRAGMA quick_check(1)") ?? {}, "quick_check");
    if (found !== "ok") throw corrupt(file, `is damaged (${found})`);
    return look(database);
  } catch (thrown) {
    throw storeFailure(thrown, file);
  } finally {
    database.close();
  }
}

/**
 * Puts a copy in the place of a home's database, in one transaction: whoever opens the home meanwhile waits, and a process
 * that is killed here leaves what was there. One that is damaged is put aside.
 *
 * @throws HostError `store_unavailable` while a process has the home open; `store_full`
 */
export async function restoreDatabase(from: string, home: string): Promise<void> {
  const file = join(home, DATABASE_FILE);
  try {
    requireUnused(home);
    using source = new DatabaseSync(from, { readOnly: true });
    await backup(source, file, { rate: ALL_PAGES });
    removeIndex(home);
  } catch (thrown) {
    throw storeFailure(thrown, file);
  }
}

/**
 * The same for a database beside the one of the home, which nobody has open when nobody has that one open.
 *
 * @throws HostError `store_*`
 */
export async function restoreSideDatabase(from: string, file: string): Promise<void> {
  try {
    if (existsSync(file)) withJournal(file, () => undefined);
    using source = new DatabaseSync(from, { readOnly: true });
    await backup(source, file, { rate: ALL_PAGES });
  } catch (thrown) {
    throw storeFailure(thrown, file);
  }
}

/**
 * Makes sure that no process has the database of a home open. One that is damaged is put aside.
 *
 * @throws HostError `store_unavailable`, naming those that are known
 */
export function requireUnused(home: string): void {
  const file = join(home, DATABASE_FILE);
  if (!existsSync(file)) return;
  withJournal(file, (database, thrown) => {
    throw held(database, file, thrown);
  });
}

/** Gives a database a journal of its own, or puts it aside when it is damaged. @param busy - when others have it open */
function withJournal(file: string, busy: (database: DatabaseSync, thrown: unknown) => void): void {
  using database = new DatabaseSync(file, { timeout: WAIT_MS });
  try {
    // Only the last one that has it open can leave the journal that several processes share.
    database.exec("PRAGMA journal_mode = DELETE");
  } catch (thrown) {
    if (sqliteResult(thrown) === SQLITE.busy) return busy(database, thrown);
    if (!isDamage(thrown) && sqliteResult(thrown) !== SQLITE.notADatabase) throw storeFailure(thrown, file);
    for (const end of ["", "-wal", "-shm"])
      if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${file}.damaged${end}`);
  }
}

function held(database: DatabaseSync, file: string, cause: unknown): HostError {
  const found = database.prepare("SELECT DISTINCT pid FROM hosts WHERE ended = 0").all();
  const pids = found.map(({ pid }) => String(pid));
  const known = pids.length === 0 ? "" : ` Known are: ${pids.join(", ")}.`;
  return new HostError(
    "store_unavailable",
    `A process has ${file} open. Stop the gateway, the dashboard and all windows of the agent first (\`agent ps\` lists turns, \`kill <pid>\` ends a server), then try again.${known}`,
    { cause },
  );
}
