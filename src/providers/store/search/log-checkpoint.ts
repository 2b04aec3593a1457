import { statSync } from "node:fs";
import { join } from "node:path";
import { Database } from "../sqlite/database.ts";
import { DATABASE_FILE } from "../sqlite/open-database.ts";

/** Bytes of the store's write-ahead log that are worth moving into the database. */
const WORTH_IT = 4 * 1024 * 1024;
/** Bytes of a log that grew because readers kept it from starting over: from here on it is truncated. */
const TOO_LONG = 32 * 1024 * 1024;

/**
 * Moves what is in the write-ahead log of a home's store into its database, so that no write has to do it and wait for the
 * disk. Others read and write meanwhile.
 */
export function checkpointLog(home: string): void {
  const file = join(home, DATABASE_FILE);
  try {
    const { size } = statSync(`${file}-wal`);
    // Without its database a log would be thrown away.
    if (size < WORTH_IT || statSync(file).size === 0) return;
    const database = new Database(file, "there");
    try {
      database.one(`PRAGMA wal_checkpoint(${size > TOO_LONG ? "TRUNCATE" : "PASSIVE"})`);
    } finally {
      database.close();
    }
  } catch {
    // It only saves time and space. The next write reports a failing disk.
  }
}
