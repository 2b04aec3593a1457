import { type Clock, systemClock } from "../../../shared/async/clock.ts";
import { type RandomHex, randomHex } from "../../../shared/crypto/random-hex.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { BackendStore, type HomeStore } from "../backend-store.ts";
import type { StoreEvent } from "../operations.ts";
import type { PieceSink } from "../pieces/saved-pieces.ts";
import { isRunning, type ProcessIdentity } from "../process-identity.ts";
import { databaseBlobs } from "./blobs.ts";
import { Connections } from "./connections.ts";
import type { LeaseTimes } from "./context.ts";
import { DatabaseClock } from "./database-clock.ts";
import { serverVersion } from "./hosts.ts";
import { Notices } from "./notices.ts";
import { PostgresBackend } from "./postgres-backend.ts";
import { migrate } from "./schema.ts";
import { PostgresSearch } from "./search/postgres-search.ts";

/** The options of a store in a database that machines share. */
export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The same database without the pooler that `url` may name, to hear other hosts. */
  readonly listenUrl?: string;
  /** The identity of this process; `readIdentity(pid)` reads it. */
  readonly identity: ProcessIdentity;
  /** Defaults to the time of the database, which is one for all machines; one with `told` is told that time. */
  readonly clock?: Clock & Partial<Pick<DatabaseClock, "told">>;
  readonly randomHex?: RandomHex;
  /** Asks the system whether a process of this machine still runs; reads `/proc` by default. */
  readonly isRunning?: (process: ProcessIdentity) => boolean;
  /** As the database lists this program; `agent-host` by default. */
  readonly applicationName?: string;
  /** At most so many connections, beside the one for notices; of several one is for the heartbeat alone. 8 by default. */
  readonly connections?: number;
  /** 15 s and 10 s by default. */
  readonly lease?: LeaseTimes;
  /** How long a request waits for a database that is away, in milliseconds; 10 s by default. */
  readonly patienceMs?: number;
  /** Aborting it is the death of the process: nothing it holds is given back. */
  readonly signal?: AbortSignal;
}

/** Others take over when a host was silent for 15 s; it has stopped 5 s before. */
const LEASE: LeaseTimes = { ms: 15_000, stopAfterMs: 10_000 };

/** Connections for searches, which are opened with the first one. */
const SEARCHES = 3;

/** PostgreSQL 14. */
const OLDEST = 140_000;

/**
 * Opens the store in a PostgreSQL database, which any number of machines share.
 *
 * @throws HostError `store_unavailable`, `store_corrupt`; then nothing was changed
 */
export async function postgresStore(options: PostgresStoreOptions): Promise<HomeStore> {
  const { identity, lease = LEASE, applicationName: name = "agent-host" } = options;
  const hostId = `host_${(options.randomHex ?? randomHex)(8)}`;
  const { connections = 8, url } = options;
  const sql = new Connections({ url, name, most: Math.max(connections - 1, 1) });
  const clock = options.clock ?? new DatabaseClock(systemClock);
  const backend = new PostgresBackend({
    sql,
    beats: connections > 1 ? new Connections({ url, name, most: 1 }) : sql,
    host: { ...identity, id: hostId, beat: 0, ended: false },
    clock,
    lease,
    patienceMs: options.patienceMs ?? 10_000,
    notices: (listener) => new Notices({ url: options.listenUrl ?? options.url, name }, hostId, listener),
    emit: (event: StoreEvent) => store.handle(event),
    time: (now, at) => clock.told?.(now, at),
  });
  const store = new BackendStore({
    hostId,
    identity,
    clock,
    isRunning: options.isRunning ?? isRunning,
    backend,
    // Connections of their own: however much is searched, no append waits for it.
    search: new PostgresSearch(new Connections({ url: options.url, name, most: SEARCHES })),
    blobs: databaseBlobs(sql),
    pieces: NO_SINK,
    isShared: true,
  });
  options.signal?.addEventListener("abort", () => void backend.crash(), { once: true });
  try {
    await mustBeSupported(sql);
    await migrate(sql);
    await backend.opened();
  } catch (thrown) {
    await backend.crash();
    throw thrown;
  }
  store.startUpkeep();
  return store;
}

async function mustBeSupported(sql: Connections): Promise<void> {
  const { number, name } = await serverVersion({ sql });
  if (number >= OLDEST) return;
  throw new HostError(
    "store_unavailable",
    `The database ${sql.where} is ${name}. PostgreSQL 14 or newer is needed.`,
  );
}

/** Text goes through the database: files of one machine are nothing to the others. */
const NO_SINK: PieceSink = {
  save: () => false,
  drop: () => undefined,
  clean: () => undefined,
  close: () => undefined,
};
