import { type Clock, systemClock } from "../../../shared/async/clock.ts";
import { type RandomHex, randomHex } from "../../../shared/crypto/random-hex.ts";
import { blobHash, type BlobShelf, damagedBlob, noSuchBlob } from "../blob-store.ts";
import type { ProcessIdentity } from "../process-identity.ts";
import { MemoryBackend } from "./backend.ts";
import { HomeData } from "./home.ts";
import type { StoreEvent } from "../operations.ts";
import { type HomeStore, StoreFront } from "../backend-store.ts";

/** Who opens a store in memory. */
export interface MemoryStoreOptions {
  /** Who the process is; all stores of a home are of one process by default. */
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
}

/** A home that several stores share. It is gone with the last reference to it. */
export interface MemoryHome {
  open(options?: MemoryStoreOptions): HomeStore;
}

/** Makes a home in memory, for stores that share it as processes share a folder. */
export function memoryHome(): MemoryHome {
  const home = new HomeData();
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

function open(home: HomeData, options: MemoryStoreOptions): HomeStore {
  const { identity = THIS_PROCESS, clock = systemClock, random = Math.random } = options;
  const hostId = `host_${(options.randomHex ?? randomHex)(8)}`;
  const me = { ...identity, id: hostId, beat: 0, ended: false };
  const backend = new MemoryBackend({ home, me, random, tell: (event: StoreEvent) => front.tell(event) });
  options.signal?.addEventListener("abort", () => backend.die(), { once: true });
  const front = new StoreFront({
    hostId,
    identity,
    clock,
    isRunning: options.isRunning ?? (() => true),
    backend,
    blobs: shelf(home),
  });
  return front;
}

function shelf({ blobs }: HomeData): BlobShelf {
  return {
    async put(hash, bytes) {
      blobs.set(hash, new Uint8Array(bytes));
    },
    async get(hash) {
      const bytes = blobs.get(hash);
      if (bytes === undefined) throw noSuchBlob(hash);
      if ((await blobHash(bytes)) !== hash) throw damagedBlob(hash, "the memory");
      return new Uint8Array(bytes);
    },
  };
}
