import { chmodSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../shared/files/make-folder.ts";
import { Database } from "./database.ts";
import { retryWhileLocked } from "./lock-retry.ts";

/** A database of a home beside its store. */
export interface SideDatabaseOptions {
  /** Absolute; made when it is not there. */
  readonly folder: string;
  readonly file: string;
  /** One step per version of the schema, in order; a step that was released never changes. */
  readonly steps: readonly string[];
  readonly cacheKilobytes: number;
  /** What is set while the file is still empty. */
  readonly first?: string;
}

/** Opens a database of a home beside its store, made when it is not there yet, and brings it to the newest schema. */
export function openSideDatabase({
  folder,
  file: name,
  steps,
  cacheKilobytes,
  first,
}: SideDatabaseOptions): Database {
  makeFolder(folder);
  const file = join(folder, name);
  const database = new Database(file);
  try {
    if (first !== undefined) retryWhileLocked(() => database.execute(first));
    chmodSync(file, 0o600);
    retryWhileLocked(() => database.execute("PRAGMA journal_mode = WAL"));
    database.execute(`
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${cacheKilobytes};
      PRAGMA journal_size_limit = 33554432;
    `);
    database.write(true, () => migrate(database, steps));
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function migrate(database: Database, steps: readonly string[]): void {
  const version = database.integer("user_version", "PRAGMA user_version");
  if (version > steps.length)
    throw new Error(`${database.file} was written by a newer version of this program; update it`);
  for (const step of steps.slice(version)) database.execute(step);
  database.execute(`PRAGMA user_version = ${steps.length}`);
}
