import type { StoreBackend, StoreEvent } from "../operations.ts";
import { DirectBackend } from "./direct-backend.ts";
import { startThread, type StartThread, WorkerBackend } from "./worker-backend.ts";
import type { DatabaseSettings } from "./worker-messages.ts";

/** A function that opens a home's database. @throws HostError `store_unavailable`, `store_full`, `store_corrupt` */
export type OpenBackend = (
  settings: DatabaseSettings,
  emit: (event: StoreEvent) => void,
) => StoreBackend | Promise<StoreBackend>;

/** Opens it in a thread of its own: for a process with many sessions, whose work never waits for that of the store. */
export const inOwnThread =
  (start: StartThread = startThread): OpenBackend =>
  async (settings, emit) => {
    const backend = new WorkerBackend(start(settings), emit);
    await backend.opened();
    return backend;
  };

/** Opens it in the caller's thread, which takes some 10 MB less: for a process that works for one person. */
export const inCallersThread: OpenBackend = (settings, emit) => new DirectBackend(settings, emit);
