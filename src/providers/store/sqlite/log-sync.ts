import { close, fsync, open } from "node:fs";
import { promisify } from "node:util";
import { FailedSyncError } from "./failure.ts";

const [openFile, syncFile, closeFile] = [promisify(open), promisify(fsync), promisify(close)];

/**
 * The write-ahead log of an open database, synced in Node's thread pool. A commit that does not sync writes to the log
 * what one that does would write, so a sync of the file afterwards makes it as safe.
 */
export class LogSync {
  readonly #file: string;
  #descriptor: number | undefined;

  /** @param database - its file; the log is there, and the same, from the first commit until the database is closed */
  constructor(database: string) {
    this.#file = `${database}-wal`;
  }

  /** Resolves when everything that is in the log now would survive the loss of power. @throws FailedSyncError */
  async sync(): Promise<void> {
    try {
      this.#descriptor ??= await openFile(this.#file, "r+");
      await syncFile(this.#descriptor);
    } catch (thrown) {
      throw new FailedSyncError(`${this.#file} could not be synced`, { cause: thrown });
    }
  }

  async close(): Promise<void> {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) await closeFile(descriptor);
  }
}
