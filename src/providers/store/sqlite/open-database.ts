import { accessSync, chmodSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { corrupt, storeFailure } from "./failure.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { refuseNetworkFileSystem } from "./network-file-system.ts";
import { makeFolder } from "../../../shared/files/make-folder.ts";
import { Database, MEMORY } from "./database.ts";
import { retryWhileLocked } from "./lock-retry.ts";
import { migrate } from "./schema.ts";

export const DATABASE_FILE = "state.db";

/** Pages in the write-ahead log before a commit itself checkpoints them. */
const LONGEST_LOG = 4_000;

/**
 * Opens the database of a home, which is made when it is not there yet.
 *
 * @throws HostError `store_unavailable`, `store_full`, `store_corrupt`
 */
export function openHomeDatabase(
  home: string,
  options: { readonly allowNetworkFileSystem: boolean },
): Database {
  const file = join(home, DATABASE_FILE);
  try {
    makeFolder(home);
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!options.allowNetworkFileSystem) refuseNetworkFileSystem(home);
    refuseLostDatabase(file);
    if (existsSync(file)) accessSync(file, constants.R_OK | constants.W_OK);
    return openDatabase(file);
  } catch (thrown) {
    throw storeFailure(thrown, file);
  }
}

/** A database that is gone while its log is there was lost by accident: SQLite would throw the log away. */
function refuseLostDatabase(file: string): void {
  // The log first: a process that starts at the same time fills the database before it makes a log.
  const log = sizeOf(`${file}-wal`);
  if (log > 0 && sizeOf(file) === 0)
    throw corrupt(file, "is missing or empty, but its write-ahead log is there");
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ENOENT") return 0;
    throw thrown;
  }
}

function openDatabase(file: string): Database {
  const database = new Database(file);
  try {
    retryWhileLocked(() => database.execute("SELECT 1 FROM sqlite_schema LIMIT 1"));
    // SQLite makes a file that everybody may read; its log and its index will take their mode from it.
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    retryWhileLocked(() => database.execute("PRAGMA journal_mode = WAL"));
    database.execute(`
      PRAGMA cell_size_check = ON;
      PRAGMA cache_size = -8000;
      PRAGMA journal_size_limit = 33554432;
      PRAGMA wal_autocheckpoint = ${LONGEST_LOG};
    `);
    prepare(database);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Opens a database that is gone with the last reference to it. */
export function openMemoryDatabase(): Database {
  const database = new Database(MEMORY);
  prepare(database);
  return database;
}

function prepare(database: Database): void {
  database.execute(`
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
  `);
  retryWhileLocked(() => migrate(database));
}
