import { errorRecord, type ErrorRecord, HostError } from "../../../shared/errors/host-error.ts";
import { corrupt, isDamage, isFailedSync, SQLITE, sqliteResult, storeFailure } from "./failure.ts";
import type { StoreOperations } from "../operations.ts";
import type { OperationResponse, OperationRequest } from "./worker-messages.ts";
import { beginsWork, type AccessMode, accessModeOf, mayUseReserve } from "./access-mode.ts";
import { markDamaged } from "./sessions.ts";
import { isLocked, retryWhileLocked } from "./lock-retry.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import type { OperationContext } from "./operation-context.ts";

/** The executor of requests that came together: their writes are one transaction, and wait for the disk once. */
export class Batch {
  readonly #context: OperationContext;
  readonly #operations: StoreOperations;
  readonly #reserve: Pick<DiskReserve, "require" | "release">;
  /** Set once a sync has failed: the file must be opened anew before anything in it can be trusted. */
  #broken: HostError | undefined;

  constructor(
    context: OperationContext,
    operations: StoreOperations,
    reserve: Pick<DiskReserve, "require" | "release">,
  ) {
    this.#context = context;
    this.#operations = operations;
    this.#reserve = reserve;
  }

  /** Begins the transaction of requests that write, so that they wait for nobody. @throws while another process is writing */
  claim(requests: readonly OperationRequest[]): void {
    const modes = requests.map((request) => accessModeOf(this.#context, request));
    const durable = modes.includes("synced");
    if (durable || modes.includes("written")) this.#context.database.claim(durable);
  }

  /** Refuses requests for a failure of the database; after a failed sync also all that come later. */
  refuse(requests: readonly OperationRequest[], thrown: unknown): readonly OperationResponse[] {
    const error = this.#failure(thrown);
    return requests.map(({ id }) => ({ id, error }));
  }

  /** Returns the responses once everything that they confirm is as safe as it must be. */
  run(requests: readonly OperationRequest[]): readonly OperationResponse[] {
    try {
      return this.#run(requests);
    } finally {
      this.#context.database.unclaim();
    }
  }

  #run(requests: readonly OperationRequest[]): readonly OperationResponse[] {
    const sorted: Record<AccessMode, OperationRequest[]> = { local: [], synced: [], written: [], read: [] };
    const writes: OperationRequest[] = [];
    for (const request of requests) {
      const mode = accessModeOf(this.#context, request);
      sorted[mode].push(request);
      if (mode === "synced" || mode === "written") writes.push(request);
    }
    return [
      // These first: a caller that watches and then reads misses nothing in between.
      ...sorted.local.map((request) =>
        this.#safely(request, () => retryWhileLocked(() => this.#perform(request))),
      ),
      ...(writes.length === 0 ? [] : this.#write(writes, sorted.synced.length > 0)),
      ...(sorted.read.length === 0 ? [] : this.#read(sorted.read)),
    ];
  }

  #write(requests: readonly OperationRequest[], durable: boolean): readonly OperationResponse[] {
    const [only] = requests;
    if (requests.length === 1 && only !== undefined) {
      return [this.#safely(only, () => this.#writeOne(only, durable))];
    }
    try {
      return this.#commit(durable, () => requests.map((request) => this.#attempt(request)));
    } catch (thrown) {
      const error = this.#failure(thrown);
      if (isLocked(thrown) || this.#broken !== undefined) return requests.map(({ id }) => ({ id, error }));
      // One request failed the transaction, or the disk is too full for all: each may still succeed alone.
      return requests.flatMap((request) =>
        this.#write([request], accessModeOf(this.#context, request) === "synced"),
      );
    }
  }

  #writeOne(request: OperationRequest, durable: boolean): unknown {
    const write = (): unknown => this.#commit(durable, () => this.#perform(request));
    try {
      return write();
    } catch (thrown) {
      if (sqliteResult(thrown) !== SQLITE.full || !mayUseReserve(request)) throw thrown;
      this.#reserve.release();
      return write();
    }
  }

  #commit<T>(durable: boolean, change: () => T): T {
    if (this.#broken !== undefined) throw this.#broken;
    this.#context.dropEffects(0);
    const result = this.#context.database.write(durable, change);
    this.#context.committed();
    return result;
  }

  /** Runs one of several in a transaction: a refusal is its own, a failure of the database fails all. */
  #attempt(request: OperationRequest): OperationResponse {
    const keep = this.#context.pendingEffects;
    try {
      return { id: request.id, value: this.#context.database.attempt(() => this.#perform(request)) };
    } catch (thrown) {
      this.#context.dropEffects(keep);
      if (!(thrown instanceof HostError)) throw thrown;
      return { id: request.id, error: errorRecord(thrown) };
    }
  }

  #read(requests: readonly OperationRequest[]): readonly OperationResponse[] {
    const { database } = this.#context;
    try {
      const responses = database.read(() =>
        requests.map((request) => this.#safely(request, () => this.#perform(request))),
      );
      this.#markDamage();
      return responses;
    } catch (thrown) {
      return this.refuse(requests, thrown);
    }
  }

  #perform(request: OperationRequest): unknown {
    if (beginsWork(request)) this.#reserve.require();
    // `StoreBackend.call` gives each operation its own input.
    const operation = this.#operations[request.name] as (input: unknown) => unknown;
    return operation(request.input);
  }

  #safely(request: OperationRequest, work: () => unknown): OperationResponse {
    try {
      return { id: request.id, value: work() };
    } catch (thrown) {
      if (isLocked(thrown) && accessModeOf(this.#context, request) === "read") throw thrown;
      return { id: request.id, error: this.#failure(thrown) };
    }
  }

  #failure(thrown: unknown): ErrorRecord {
    const { file } = this.#context.database;
    if (isFailedSync(thrown)) {
      this.#broken ??= new HostError(
        "store_unavailable",
        `The disk failed to write the store ${file}. Check the disk, then start again: what was confirmed before is safe.`,
        { cause: thrown },
      );
      return errorRecord(this.#broken);
    }
    return errorRecord(isDamage(thrown) ? corrupt(file, "is damaged", thrown) : storeFailure(thrown, file));
  }

  /** Marks damaged sessions. The next reader finds the damage again. */
  #markDamage(): void {
    const { database, damage } = this.#context;
    if (damage.size === 0) return;
    const found = [...damage];
    damage.clear();
    try {
      database.write(false, () => {
        for (const [key, n] of found) markDamaged(database, key, n);
      });
    } catch {
      // The next reader tries again.
    }
  }
}
