import { randomFillSync } from "node:crypto";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { storeFailure } from "./failure.ts";
import { DATABASE_FILE } from "./open-database.ts";

/** Enough for the last rows of many turns. */
const SIZE = 1024 * 1024;

/**
 * A reserve of disk space for work that has begun. On a full disk no new work is accepted, but each accepted turn still
 * gets its last rows. The reserve comes back by itself once there is space again.
 */
export class DiskReserve {
  readonly #file: string;
  readonly #database: string;

  constructor(home: string) {
    this.#file = join(home, "state.reserve");
    this.#database = join(home, DATABASE_FILE);
  }

  /** Makes sure that the reserve is there before new work is accepted. @throws HostError `store_full` */
  require(): void {
    if (statSync(this.#file, { throwIfNoEntry: false })?.size === SIZE) return;
    try {
      // Random, so that no file system can store it in less.
      writeFileSync(this.#file, randomFillSync(Buffer.allocUnsafe(SIZE)), { mode: 0o600 });
    } catch (thrown) {
      this.release();
      throw storeFailure(thrown, this.#database);
    }
  }

  release(): void {
    rmSync(this.#file, { force: true });
  }
}
