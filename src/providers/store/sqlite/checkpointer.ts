import { statSync } from "node:fs";
import type { Database } from "./database.ts";

/** Milliseconds without a write before a checkpoint, so that no write waits for it. */
const QUIET = 200;
const WORTH_IT = 4 * 1024 * 1024;
/** Bytes of a log that grew because readers kept it from starting over: from here on it is truncated. */
const TOO_LONG = 32 * 1024 * 1024;

/** A mover of pages from the write-ahead log into the database, at times when nobody writes. */
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
      // A checkpoint only saves time and space. The next write reports a failing disk.
    }
  }
}
