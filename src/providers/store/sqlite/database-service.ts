import { join } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { DatabaseSettings, OperationRequest, OperationResponse } from "./worker-messages.ts";
import { blobFileCleanup } from "./blob-files.ts";
import { Batch } from "./batch.ts";
import { ChangePoller } from "./change-poller.ts";
import { ChangeWatcher } from "./change-watcher.ts";
import type { Database } from "./database.ts";
import { endHost } from "./hosts.ts";
import { openHomeDatabase } from "./open-database.ts";
import { PIECE_FOLDER, PieceFolder } from "../pieces/piece-folder.ts";
import type { StoreEvent } from "../operations.ts";
import { sqlOperations } from "./sql-operations.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { OperationContext } from "./operation-context.ts";
import { makeFolder } from "../../../shared/files/make-folder.ts";

/** The database of a home as one host works on it: requests that came together, and what other hosts do meanwhile. */
export class DatabaseService {
  readonly database: Database;
  readonly #context: OperationContext;
  readonly #batch: Batch;
  readonly #poller: ChangePoller;

  /** @throws HostError `store_unavailable`, `store_full`, `store_corrupt` */
  constructor(settings: DatabaseSettings, emit: (event: StoreEvent) => void) {
    const { home, host } = settings;
    const reserve = new DiskReserve(home);
    this.database = openWith(reserve, () => openHomeDatabase(home, settings));
    this.#context = new OperationContext({
      database: this.database,
      blobs: blobFileCleanup(join(home, "blobs")),
      saved: new PieceFolder(join(home, PIECE_FOLDER)),
      host,
    });
    makePieceFolder(home);
    const watcher = new ChangeWatcher(this.#context, emit);
    this.#poller = new ChangePoller(this.#context, watcher);
    this.#batch = new Batch(this.#context, sqlOperations(this.#context, watcher), reserve);
  }

  /** How often something was appended here. */
  get appends(): number {
    return this.#context.appends;
  }

  /** Begins the transaction of requests that write. @throws while another process is writing */
  claim(requests: readonly OperationRequest[]): void {
    this.#batch.claim(requests);
  }

  run(requests: readonly OperationRequest[]): readonly OperationResponse[] {
    return this.#batch.run(requests);
  }

  /** Refuses requests without carrying them out. */
  refuse(requests: readonly OperationRequest[], thrown: unknown): readonly OperationResponse[] {
    return this.#batch.refuse(requests, thrown);
  }

  /** Follows what other hosts do. After the responses: a host learns that it drives a session before it gets commands for it. */
  answered(): void {
    this.#poller.afterBatch();
  }

  close(): void {
    this.#poller.stop();
    try {
      this.database.write(false, () => endHost(this.#context));
      this.database.execute("PRAGMA optimize");
    } catch {
      // Other hosts find out by themselves that this one is gone.
    }
    this.database.close();
  }

  /** Ends without giving anything back, as a process that is killed. */
  crash(): void {
    this.#poller.stop();
    this.database.close();
  }
}

/** Makes the folder here: its name is synced, for which a thread that only saves pieces would wait. */
function makePieceFolder(home: string): void {
  try {
    makeFolder(join(home, PIECE_FOLDER));
  } catch {
    // A full disk. Streamed text goes through the database until there is room for a folder.
  }
}

/** Opens a database on a full disk too, by giving up the reserve: a person must be able to look and to make room. */
function openWith(reserve: DiskReserve, open: () => Database): Database {
  try {
    return open();
  } catch (thrown) {
    if (!(thrown instanceof HostError) || thrown.code !== "store_full") throw thrown;
    reserve.release();
    return open();
  }
}
