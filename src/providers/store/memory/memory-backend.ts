import { setImmediate as nextTurn } from "node:timers/promises";
import { fromErrorRecord, HostError } from "../../../shared/errors/host-error.ts";
import type { StoreBackend, HostEntry, StoreEvent } from "../operations.ts";
import { Batch } from "../sqlite/batch.ts";
import { ChangeWatcher } from "../sqlite/change-watcher.ts";
import { endHost } from "../sqlite/hosts.ts";
import { accessModeOf } from "../sqlite/access-mode.ts";
import { OperationContext } from "../sqlite/operation-context.ts";
import type { OperationRequest } from "../sqlite/worker-messages.ts";
import { sqlOperations } from "../sqlite/sql-operations.ts";
import type { MemoryHomeData } from "./memory-home-data.ts";

const MOST_TICKS = 3;

/** Memory needs no reserve: there is no disk that could be full. */
const NO_RESERVE = { require: () => undefined, release: () => undefined };

/** The parts that a backend in memory is made of. */
export interface MemoryBackendParts {
  readonly home: MemoryHomeData;
  readonly host: HostEntry;
  readonly random: () => number;
  readonly emit: (event: StoreEvent) => void;
}

/**
 * A host of a home in memory. Requests take effect in the order in which they were made, as in a database's thread, but
 * each a random number of ticks later, and its answer comes another random number of ticks after that.
 */
export class MemoryBackend implements StoreBackend {
  readonly #home: MemoryHomeData;
  readonly #random: () => number;
  /** The home as the operations of this host see it. */
  readonly context: OperationContext;
  readonly #watcher: ChangeWatcher;
  readonly #batch: Batch;
  readonly #unsubscribe: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  #dead = false;
  #isCheckDue = false;

  constructor({ home, host, random, emit }: MemoryBackendParts) {
    this.#home = home;
    this.#random = random;
    this.context = new OperationContext({
      database: home.database,
      blobs: home.blobCleanup,
      saved: home.pieces.saved,
      host,
    });
    this.#watcher = new ChangeWatcher(this.context, emit);
    this.#batch = new Batch(this.context, sqlOperations(this.context, this.#watcher), NO_RESERVE);
    this.#unsubscribe = home.onChange((by) => {
      if (by !== host.id) void this.#check();
    });
  }

  call: StoreBackend["call"] = async (name, request) => {
    if (this.#closed) throw new HostError("store_unavailable", "The store is closed.");
    // A thread gets a copy of each request: what the caller changes later changes nothing.
    const copy = { id: 0, name, input: structuredClone(request) } as OperationRequest;
    if (accessModeOf(this.context, copy) === "local") return this.#perform(copy);
    const before = this.#last;
    const effect = this.#ticks()
      .then(() => before)
      .then(() => (this.#dead ? new Promise<never>(() => undefined) : this.#perform(copy)));
    this.#last = effect.catch(() => undefined);
    const result = await effect;
    await this.#ticks();
    // After the answer has reached the caller: a host learns that it drives a session before it gets commands for it.
    void this.#checkCommands();
    return result;
  };

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    await this.#last;
    this.#home.database.write(false, () => endHost(this.context));
    this.#home.changed(this.context.host.id);
  }

  /** Ends without giving anything back, as a process that is killed. */
  crash(): void {
    this.#closed = true;
    this.#dead = true;
    this.#unsubscribe();
  }

  #perform(request: OperationRequest): never {
    const { database } = this.#home;
    const before = database.commits;
    const [response] = this.#batch.run([request]);
    if (database.commits !== before) this.#home.changed(this.context.host.id);
    if (response === undefined) throw new HostError("internal", `The store did not answer ${request.name}.`);
    if ("error" in response) throw fromErrorRecord(response.error);
    // The batch answers with what the operation of that name returns.
    return response.value as never;
  }

  /** Checks for changes by other hosts, once for all changes until the check. */
  async #check(): Promise<void> {
    if (this.#isCheckDue) return;
    this.#isCheckDue = true;
    await nextTurn();
    await this.#ticks();
    this.#isCheckDue = false;
    if (!this.#closed) this.#watcher.check();
  }

  async #checkCommands(): Promise<void> {
    await nextTurn();
    await this.#ticks();
    if (!this.#closed) this.#watcher.checkOwnCommands();
  }

  async #ticks(): Promise<void> {
    for (let left = Math.floor(this.#random() * (MOST_TICKS + 1)); left > 0; left -= 1) {
      if (this.#random() < 0.5) await nextTurn();
      else await Promise.resolve();
    }
  }
}
