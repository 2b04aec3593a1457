import { type Clock, systemClock } from "../../../shared/async/clock.ts";
import { type RandomHex, randomHex } from "../../../shared/crypto/random-hex.ts";
import type { ProcessIdentity } from "../process-identity.ts";
import { MemoryBackend } from "./memory-backend.ts";
import { MemoryHomeData } from "./memory-home-data.ts";
import { MemorySearch } from "../search/memory-search.ts";
import type { StoreBackend, StoreEvent } from "../operations.ts";
import type { PieceSink } from "../pieces/saved-pieces.ts";
import { type HomeStore, BackendStore } from "../backend-store.ts";

/** The options of a store in memory. */
export interface MemoryStoreOptions {
  /** The identity of the process; all stores of a home are of one process by default. */
  readonly identity?: ProcessIdentity;
  /** Whether a process of this home still runs; all do by default. */
  readonly isRunning?: (process: ProcessIdentity) => boolean;
  /** Defaults to the system's. */
  readonly clock?: Clock;
  readonly randomHex?: RandomHex;
  /** Aborting it is the death of the process: nothing it holds is given back, and no call is answered any more. */
  readonly signal?: AbortSignal;
  /** Decides how long each call takes, from 0 to below 1; a seeded one makes a run repeatable. */
  readonly random?: () => number;
  /** Puts something between the store and its home, such as a network. All streamed text then goes with appends. */
  readonly between?: Between;
}

/** A go-between of a store and its home: given the home's end and the store's ear, it makes those that stand for them. */
export type Between = (
  home: MemoryBackend,
  handle: (event: StoreEvent) => void,
) => { readonly backend: StoreBackend; readonly handle: (event: StoreEvent) => void };

/** A home that several stores share. It is gone with the last reference to it. */
export interface MemoryHome {
  open(options?: MemoryStoreOptions): HomeStore;
}

/** Makes a home in memory, for stores that share it as processes share a folder. */
export function memoryHome(): MemoryHome {
  const home = new MemoryHomeData();
  return { open: (options = {}) => open(home, options) };
}

/** A store that nobody shares. */
export function memoryStore(options: MemoryStoreOptions = {}): HomeStore {
  return memoryHome().open(options);
}

const THIS_PROCESS: ProcessIdentity = {
  pid: 1,
  startedAt: "0",
  bootId: "memory",
  pidNamespace: "memory",
  machineId: "memory",
};

/** Nobody writes beside a database that is elsewhere. */
const NOTHING_BESIDE: PieceSink = {
  save: () => false,
  drop: () => undefined,
  clean: () => undefined,
  close: () => undefined,
};

function open(home: MemoryHomeData, options: MemoryStoreOptions): HomeStore {
  const { identity = THIS_PROCESS, clock = systemClock, random = Math.random, between } = options;
  const hostId = `host_${(options.randomHex ?? randomHex)(8)}`;
  const host = { ...identity, id: hostId, beat: 0, ended: false };
  const handle = (event: StoreEvent): void => store.handle(event);
  const own = new MemoryBackend({ home, host, random, emit: (event) => ear(event) });
  const { backend, handle: ear } = between?.(own, handle) ?? { backend: own, handle };
  options.signal?.addEventListener("abort", () => own.crash(), { once: true });
  const store = new BackendStore({
    hostId,
    identity,
    clock,
    isRunning: options.isRunning ?? (() => true),
    backend,
    search: new MemorySearch(home.database),
    blobs: home.blobs,
    pieces:
      between === undefined ? home.pieces.sink(hostId, random, () => home.changed(hostId)) : NOTHING_BESIDE,
  });
  return store;
}
