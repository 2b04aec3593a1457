import { join } from "node:path";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { WorkerOutput, WorkerSettings, WorkerInput } from "./worker-messages.ts";
import { blobFileCleanup } from "./blob-files.ts";
import { Batch } from "./batch.ts";
import { ChangePoller } from "./change-poller.ts";
import { ChangeWatcher } from "./change-watcher.ts";
import type { Database } from "./database.ts";
import { endHost } from "./hosts.ts";
import { openHomeDatabase } from "./open-database.ts";
import { PIECE_FOLDER, PieceFolder } from "../pieces/piece-folder.ts";
import { sqlOperations } from "./sql-operations.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { OperationContext } from "./operation-context.ts";
import { makeFolder } from "../../../shared/files/make-folder.ts";
import { statSync } from "node:fs";

/**
 * Opens a home's database and serves requests on it.
 *
 * @returns takes what has come in together; gives `false` once the service has ended
 * @throws HostError `store_unavailable`, `store_full`, `store_corrupt`
 */
export function serveDatabase(
  data: WorkerSettings,
  post: (message: WorkerOutput) => void,
): (messages: readonly WorkerInput[]) => boolean {
  const reserve = new DiskReserve(data.home);
  const database = openWith(reserve, () => openHomeDatabase(data.home, data));
  const context = new OperationContext({
    database,
    blobs: blobFileCleanup(join(data.home, "blobs")),
    saved: new PieceFolder(join(data.home, PIECE_FOLDER)),
    host: data.host,
  });
  makePieceFolder(data.home);
  const watcher = new ChangeWatcher(context, (event) => post({ type: "events", events: [event] }));
  const poller = new ChangePoller(context, watcher);
  const batch = new Batch(context, sqlOperations(context, watcher), reserve);
  const checkpoints = new Checkpointer(database);

  function close(): void {
    poller.stop();
    checkpoints.stop();
    try {
      database.write(false, () => endHost(context));
      database.execute("PRAGMA optimize");
    } catch {
      // Other hosts find out by themselves that this one is gone.
    }
    database.close();
  }

  return (messages) => {
    const requests = messages.flatMap((message) => (message.type === "requests" ? message.requests : []));
    if (requests.length > 0) {
      const before = database.commits;
      post({ type: "responses", responses: batch.run(requests) });
      // After the responses: a host learns that it drives a session before it gets commands for it.
      poller.afterBatch();
      if (database.commits !== before) checkpoints.wrote();
    }
    if (messages.every(({ type }) => type !== "close")) return true;
    close();
    post({ type: "closed" });
    return false;
  };
}

/** Makes the folder here: its name is synced, for which the main thread would wait. */
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

/** Milliseconds without a write before a checkpoint, so that no write waits for it. */
const QUIET = 200;
const WORTH_IT = 4 * 1024 * 1024;
/** Bytes of a log that grew because readers kept it from starting over: from here on it is truncated. */
const TOO_LONG = 32 * 1024 * 1024;

/** A mover of pages from the write-ahead log into the database, at times when nobody writes. */
class Checkpointer {
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
