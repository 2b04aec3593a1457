import { Connections } from "../../../../src/providers/store/postgres/connections.ts";
import { migrate } from "../../../../src/providers/store/postgres/schema.ts";
import { postgresStore } from "../../../../src/providers/store/postgres/postgres-store.ts";
import type { HomeStore } from "../../../../src/providers/store/index.ts";
import { type HandClock, handClock } from "../../../kit/clock.ts";
import { testDatabase } from "../../../kit/postgres/index.ts";
import type { ContractHome, HostOptions } from "../contract/home.ts";
import { processes } from "../contract/processes.ts";

/** A database of its own, shared by hosts that take themselves for processes of one machine or of several. */
export interface PostgresHome extends ContractHome {
  readonly url: string;
  openHost(options?: HostOptions): Promise<HomeStore>;
}

/**
 * The hands of the clock are the test's and the database's are not: by the database's time every lease is over at once, so that
 * what the others see of a host's beats decides alone; and no host counts itself as lost.
 */
const LEASE = { ms: 0, stopAfterMs: Number.POSITIVE_INFINITY };

/** Brings an empty database to the schema of this version. */
async function migrated(url: string): Promise<void> {
  const sql = new Connections({ url, name: "test", most: 1 });
  await migrate(sql);
  await sql.close();
}

export async function postgresHome(clock: HandClock = handClock()): Promise<PostgresHome> {
  const database = await testDatabase(migrated);
  const running = processes();
  const hosts = new Map<unknown, { readonly pid: number; readonly life: AbortController }>();
  const open: HomeStore[] = [];
  return {
    clock,
    url: database.url,
    async openHost(options = {}) {
      const identity = running.start(options);
      const life = new AbortController();
      const store = await postgresStore({
        url: database.url,
        identity,
        clock: options.asleep === true ? handClock() : clock,
        isRunning: (process) => running.isRunning(process),
        lease: LEASE,
        // One connection answers in the order in which it is asked: the hands of the clock wait for what came before.
        connections: 1,
        signal: life.signal,
      });
      hosts.set(store, { pid: identity.pid, life });
      open.push(store);
      return store;
    },
    async kill(store) {
      const host = hosts.get(store);
      if (host === undefined) return;
      running.kill(host.pid);
      host.life.abort();
    },
    async [Symbol.asyncDispose]() {
      for (const store of open) await store[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
