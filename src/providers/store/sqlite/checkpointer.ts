import { statSync } from "node:fs";
import type { Database } from "./database.ts";

/** Milliseconds without a write before a checkpoint, so that no write waits for it. */
const QUIET = 200;
const WORTH_IT = 4 * 1024 * 1024;
/** Somebody keeps reading old pages: only a log that nobody reads can start over. */
const TOO_LONG = 32 * 1024 * 1024;

/** Moves what is in the write-ahead log into the database when there is time for it. */
export class Checkpointer {
  readonly #database: Database;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  wrote(): void {
    this.#timer ??= setTimeout(() => this.#checkpoint(), QUIET);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #checkpoint(): void {
    this.#timer = undefined;
    try {
      const { size } = statSync(`${this.#database.file}-wal`);
      if (size < WORTH_IT) return;
      this.#database.one(`PRAGMA wal_checkpoint(${size > TOO_LONG ? "TRUNCATE" : "PASSIVE"})`);
    } catch {
      // It only saves time and space; what is wrong with the disk shows when something is written.
    }
  }
}
