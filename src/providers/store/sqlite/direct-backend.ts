import { HostError } from "../../../shared/errors/host-error.ts";
import type { StoreBackend, StoreEvent } from "../operations.ts";
import { waitWhileLocked } from "./lock-retry.ts";
import { LogSync } from "./log-sync.ts";
import { AwaitedOperations } from "./awaited-operations.ts";
import { rehearseFirstTurn } from "./rehearsal.ts";
import { DatabaseService } from "./database-service.ts";
import type { DatabaseSettings, OperationRequest, OperationResponse } from "./worker-messages.ts";

/** Milliseconds after which nobody waits for the process to start. */
const QUIET_MS = 200;

/**
 * A backend over a database in the caller's own thread, which saves the memory of another one. The requests of one turn of
 * the event loop are carried out together. Nothing that can take long is waited for here: the disk syncs in Node's pool,
 * and while another process writes, the event loop goes on.
 */
export class DirectBackend implements StoreBackend {
  readonly #service: DatabaseService;
  readonly #log: Pick<LogSync, "sync" | "close">;
  readonly #requests = new AwaitedOperations();
  #isBusy = false;
  #endedBy: HostError | undefined;
  #closing: Promise<void> | undefined;
  /** Resolves when nothing is left to do. */
  readonly #idle = Promise.withResolvers<void>();

  /**
   * @param logOf - gives the log of a database, by its file
   * @throws HostError `store_unavailable`, `store_full`, `store_corrupt`
   */
  constructor(
    settings: DatabaseSettings,
    emit: (event: StoreEvent) => void,
    logOf = (file: string): Pick<LogSync, "sync" | "close"> => new LogSync(file),
  ) {
    this.#service = new DatabaseService(settings, emit);
    this.#service.database.leaveSyncs();
    this.#log = logOf(this.#service.database.file);
    setTimeout(() => this.#rehearse(), QUIET_MS).unref();
  }

  call: StoreBackend["call"] = (name, input, written) => {
    if (this.#endedBy !== undefined) return Promise.reject(this.#endedBy);
    const response = this.#requests.add(name, input, written);
    this.#wake();
    return response;
  };

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#endedBy !== undefined) return;
    this.#endedBy = new HostError("store_unavailable", "The store is closed.");
    this.#wake();
    await this.#idle.promise;
    this.#service.close();
    await this.#log.close();
  }

  /** Ends without giving anything back, as a process that is killed. */
  crash(): void {
    this.#endedBy = new HostError("store_unavailable", "The store is gone.");
    this.#requests.drop();
    this.#service.crash();
  }

  /** Who is about to begin a first session need not wait for what is slow once. */
  #rehearse(): void {
    if (this.#endedBy === undefined && this.#service.appends === 0) rehearseFirstTurn();
  }

  #wake(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    // What is asked for in one go is carried out together; who begins a turn has it on the disk the sooner.
    queueMicrotask(() => void this.#next());
  }

  /** Carries out what has come; afterwards what came meanwhile, until nothing is left. */
  async #next(): Promise<void> {
    const requests = this.#requests.takeUnsent();
    if (requests.length > 0) {
      this.#requests.settle(await this.#responses(requests));
      // Callers go on before the loop does.
      setImmediate(() => {
        if (this.#endedBy === undefined) this.#service.answered();
        void this.#next();
      });
      return;
    }
    this.#isBusy = false;
    if (this.#endedBy !== undefined) this.#idle.resolve();
  }

  async #responses(requests: readonly OperationRequest[]): Promise<readonly OperationResponse[]> {
    const { database } = this.#service;
    try {
      const responses = await waitWhileLocked(() => {
        this.#service.claim(requests);
        return this.#service.run(requests);
      });
      this.#requests.written(responses);
      if (database.takeUnsynced()) await this.#log.sync();
      return responses;
    } catch (thrown) {
      return this.#service.refuse(requests, thrown);
    }
  }
}
