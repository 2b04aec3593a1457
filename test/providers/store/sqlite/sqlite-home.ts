import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type HomeStore,
  inOwnThread,
  type OpenBackend,
  sqliteStore,
} from "../../../../src/providers/store/index.ts";
import { DirectBackend } from "../../../../src/providers/store/sqlite/direct-backend.ts";
import { type HandClock, handClock } from "../../../kit/clock.ts";
import type { ContractHome, HostOptions } from "../contract/home.ts";
import { processes } from "../contract/processes.ts";
import { builtStore } from "./built-store.ts";

/** Where the database of a host works: in a thread of its own, or in that of its callers. */
export type StoreThread = "own" | "callers";

/** A home on disk, shared by hosts that are parts of this process and take themselves for processes. */
export interface SqliteHome extends ContractHome {
  readonly folder: string;
  readonly database: string;
  openHost(options?: HostOptions): Promise<HomeStore>;
}

export async function sqliteHome(
  options: { readonly folder?: string; readonly clock?: HandClock; readonly thread?: StoreThread } = {},
): Promise<SqliteHome> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "agent-store-")));
  const clock = options.clock ?? handClock();
  const { startThread, startSearchThread } = await builtStore();
  const running = processes();
  const hosts = new Map<unknown, { readonly pid: number; readonly end: () => unknown }>();
  const open: HomeStore[] = [];
  return {
    clock,
    folder,
    database: join(folder, "state.db"),
    async openHost(hostOptions = {}) {
      const identity = running.start(hostOptions);
      let end: () => unknown = () => undefined;
      const inThread = inOwnThread((data) => {
        const thread = startThread(data);
        end = () => thread.terminate();
        return thread;
      });
      const direct: OpenBackend = (settings, emit) => {
        const backend = new DirectBackend(settings, emit);
        end = () => backend.crash();
        return backend;
      };
      const store = await sqliteStore({
        home: folder,
        identity,
        clock: hostOptions.asleep === true ? handClock() : clock,
        isRunning: (process) => running.isRunning(process),
        openBackend: options.thread === "callers" ? direct : inThread,
        startSearchThread,
      });
      hosts.set(store, { pid: identity.pid, end });
      open.push(store);
      return store;
    },
    async kill(store) {
      const host = hosts.get(store);
      if (host === undefined) return;
      running.kill(host.pid);
      await host.end();
    },
    async [Symbol.asyncDispose]() {
      for (const store of open) await store[Symbol.asyncDispose]();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
