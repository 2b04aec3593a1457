import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { type HomeStore, sqliteStore } from "../../../../src/providers/store/index.ts";
import { type HandClock, handClock } from "../../../kit/clock.ts";
import type { ContractHome, HostOptions } from "../contract/home.ts";
import { processes } from "../contract/processes.ts";
import { builtStore } from "./built-store.ts";

/** A home on disk, shared by hosts that are threads of this process and take themselves for processes. */
export interface SqliteHome extends ContractHome {
  readonly folder: string;
  readonly database: string;
  openHost(options?: HostOptions): Promise<HomeStore>;
}

export async function sqliteHome(
  options: { readonly folder?: string; readonly clock?: HandClock } = {},
): Promise<SqliteHome> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "agent-store-")));
  const clock = options.clock ?? handClock();
  const { startThread, startSearchThread } = await builtStore();
  const running = processes();
  const hosts = new Map<unknown, { readonly pid: number; readonly thread: Worker | undefined }>();
  const open: HomeStore[] = [];
  return {
    clock,
    folder,
    database: join(folder, "state.db"),
    async openHost(hostOptions = {}) {
      const identity = running.start(hostOptions);
      let thread: Worker | undefined;
      const store = await sqliteStore({
        home: folder,
        identity,
        clock: hostOptions.asleep === true ? handClock() : clock,
        isRunning: (process) => running.isRunning(process),
        startThread: (data) => (thread = startThread(data)),
        startSearchThread,
      });
      hosts.set(store, { pid: identity.pid, thread });
      open.push(store);
      return store;
    },
    async kill(store) {
      const host = hosts.get(store);
      if (host === undefined) return;
      running.kill(host.pid);
      await host.thread?.terminate();
    },
    async [Symbol.asyncDispose]() {
      for (const store of open) await store[Symbol.asyncDispose]();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
