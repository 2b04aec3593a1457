import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Database } from "../sqlite/database.ts";
import { isDamage, sqliteResult, SQLITE } from "../sqlite/failure.ts";
import { retryWhileLocked } from "../sqlite/lock-retry.ts";
import { DATABASE_FILE } from "../sqlite/open-database.ts";
import { INDEX_VERSION, makeIndexTables } from "./index-schema.ts";
import { SearchIndex } from "./search-index.ts";

const NAME = /^search-(\d+)\.db(?:-wal|-shm)?$/;
const FILE = `search-${INDEX_VERSION}.db`;

/**
 * Opens the index of a home, which is made when it is not there yet. It lies beside the store: no write of the index
 * ever keeps a turn's waiting, and it can be lost.
 */
export function openIndex(home: string): SearchIndex {
  removeOlder(home);
  const file = join(home, FILE);
  try {
    return open(home, file);
  } catch (thrown) {
    if (!isLost(thrown)) throw thrown;
    removeIndex(home);
    return open(home, file);
  }
}

/** Whether an index cannot be used any more. */
export const isLost = (thrown: unknown): boolean => {
  const result = sqliteResult(thrown);
  return isDamage(thrown) || result === SQLITE.notADatabase || result === SQLITE.error;
};

/** Deletes the index of a home. Whatever it had is in the log. */
export function removeIndex(home: string): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(join(home, `${FILE}${end}`), { force: true });
}

function open(home: string, file: string): SearchIndex {
  const database = new Database(file);
  try {
    chmodSync(file, 0o600);
    retryWhileLocked(() => database.execute("PRAGMA journal_mode = WAL"));
    database.execute(`
      PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -16000;
      PRAGMA journal_size_limit = 33554432;
      PRAGMA wal_autocheckpoint = 4000;
      PRAGMA temp_store = MEMORY;
    `);
    const log = pathToFileURL(join(home, DATABASE_FILE)).href;
    database.execute(`ATTACH '${log.replaceAll("'", "''")}?mode=ro' AS log`);
    database.write(false, () => makeIndexTables(database));
    const version = (): number => database.integer("data_version", "PRAGMA log.data_version");
    return new SearchIndex(database, { schema: "log", version });
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Indexes of older versions of this program, which nobody uses any more. */
function removeOlder(home: string): void {
  for (const name of readdirSync(home)) {
    const version = NAME.exec(name)?.[1];
    if (version !== undefined && Number(version) < INDEX_VERSION) rmSync(join(home, name), { force: true });
  }
}
