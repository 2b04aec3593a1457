import { join, resolve } from "node:path";
import { type Clock, systemClock } from "../../../shared/async/clock.ts";
import { type RandomHex, randomHex } from "../../../shared/crypto/random-hex.ts";
import { blobFiles } from "./blob-files.ts";
import { isRunning, type ProcessIdentity } from "../process-identity.ts";
import type { StoreEvent } from "../operations.ts";
import { type HomeStore, BackendStore } from "../backend-store.ts";
import { PieceFiles } from "../pieces/piece-files.ts";
import { PIECE_FOLDER } from "../pieces/piece-folder.ts";
import type { PieceSink } from "../pieces/saved-pieces.ts";
import { SearchThread, type StartSearchThread } from "../search/search-thread.ts";
import { inOwnThread, type OpenBackend } from "./open-backend.ts";

/** The options of a store on disk: its folder, and the process that opens it. */
export interface SqliteStoreOptions {
  /** The folder that holds `state.db` and `blobs/`; it is made when it is not there. */
  readonly home: string;
  /** The identity of this process; `readIdentity(pid)` reads it. */
  readonly identity: ProcessIdentity;
  /** Defaults to the system's. */
  readonly clock?: Clock;
  readonly randomHex?: RandomHex;
  /** Asks the system whether a process of this machine still runs; reads `/proc` by default. */
  readonly isRunning?: (process: ProcessIdentity) => boolean;
  /** Network file systems are refused, for locks do not hold there; `true` takes the risk. */
  readonly allowNetworkFileSystem?: boolean;
  /** Opens the database; in a thread of its own by default. */
  readonly openBackend?: OpenBackend;
  /** Starts the thread that searches, when it is needed; from this package's own file by default. */
  readonly startSearchThread?: StartSearchThread;
}

/**
 * Opens the store of a home: SQLite, shared with other processes on this machine.
 *
 * @throws HostError `store_unavailable`, `store_full`, `store_corrupt`; then nothing was changed
 */
export async function sqliteStore(options: SqliteStoreOptions): Promise<HomeStore> {
  const { identity, clock = systemClock } = options;
  const home = resolve(options.home);
  const random = options.randomHex ?? randomHex;
  const hostId = `host_${random(8)}`;
  const host = { ...identity, id: hostId, beat: 0, ended: false };
  const { allowNetworkFileSystem = false, openBackend = inOwnThread() } = options;
  const settings = { home, host, allowNetworkFileSystem };
  const backend = await openBackend(settings, (event: StoreEvent) => store.handle(event));
  const store = new BackendStore({
    hostId,
    identity,
    clock,
    isRunning: options.isRunning ?? isRunning,
    backend,
    search: new SearchThread({ home }, clock, options.startSearchThread),
    blobs: blobFiles(join(home, "blobs"), random),
    pieces: allowNetworkFileSystem ? NO_SINK : new PieceFiles(join(home, PIECE_FOLDER), hostId),
  });
  store.startUpkeep();
  return store;
}

/** Between machines a write is not seen at once: there the text goes through the database. */
const NO_SINK: PieceSink = {
  save: () => false,
  drop: () => undefined,
  clean: () => undefined,
  close: () => undefined,
};
