import { errorRecord, type ErrorRecord, HostError } from "../../../shared/errors/host-error.ts";
import { corrupt, isFailedSync, SQLITE, sqliteResult, storeFailure } from "./failure.ts";
import type { StoreOperations } from "../operations.ts";
import type { OperationResponse, OperationRequest } from "./worker-messages.ts";
import { isDamage } from "./damage.ts";
import { beginsWork, type AccessMode, accessModeOf, mayUseReserve } from "./access-mode.ts";
import { isLocked, retryWhileLocked } from "./lock-retry.ts";
import type { DiskReserve } from "./disk-reserve.ts";
import type { OperationContext } from "./operation-context.ts";

/** Carries out requests that came together: what they write is one transaction, and one wait for the disk. */
export class Batch {
  readonly #context: OperationContext;
  readonly #operations: StoreOperations;
  readonly #reserve: Pick<DiskReserve, "require" | "release">;
  /** The disk has failed to keep what it was given: nothing is true any more until the file is opened anew. */
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

  /** Answers come when everything they tell of is as safe as it has to be. */
  run(asks: readonly OperationRequest[]): readonly OperationResponse[] {
    const sorted: Record<AccessMode, OperationRequest[]> = { local: [], synced: [], written: [], read: [] };
    const writes: OperationRequest[] = [];
    for (const ask of asks) {
      const mode = accessModeOf(this.#context, ask);
      sorted[mode].push(ask);
      if (mode === "synced" || mode === "written") writes.push(ask);
    }
    return [
      // Who watches and then reads must not miss what happens in between.
      ...sorted.local.map((ask) => this.#safely(ask, () => retryWhileLocked(() => this.#perform(ask)))),
      ...(writes.length === 0 ? [] : this.#write(writes, sorted.synced.length > 0)),
      ...(sorted.read.length === 0 ? [] : this.#read(sorted.read)),
    ];
  }

  #write(asks: readonly OperationRequest[], durable: boolean): readonly OperationResponse[] {
    const [only] = asks;
    if (asks.length === 1 && only !== undefined) {
      return [this.#safely(only, () => this.#writeOne(only, durable))];
    }
    try {
      return this.#commit(durable, () => asks.map((ask) => this.#attempt(ask)));
    } catch (thrown) {
      const error = this.#failure(thrown);
      if (isLocked(thrown) || this.#broken !== undefined) return asks.map(({ id }) => ({ id, error }));
      // One of them spoilt it for all, or the disk is too full for all: each may still succeed by itself.
      return asks.flatMap((ask) => this.#write([ask], accessModeOf(this.#context, ask) === "synced"));
    }
  }

  #writeOne(ask: OperationRequest, durable: boolean): unknown {
    const write = (): unknown => this.#commit(durable, () => this.#perform(ask));
    try {
      return write();
    } catch (thrown) {
      if (sqliteResult(thrown) !== SQLITE.full || !mayUseReserve(ask)) throw thrown;
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

  /** One of several in a transaction: it is refused alone, but a failure of the database is everybody's. */
  #attempt(ask: OperationRequest): OperationResponse {
    const keep = this.#context.pendingEffects;
    try {
      return { id: ask.id, value: this.#context.database.attempt(() => this.#perform(ask)) };
    } catch (thrown) {
      this.#context.dropEffects(keep);
      if (!(thrown instanceof HostError)) throw thrown;
      return { id: ask.id, error: errorRecord(thrown) };
    }
  }

  #read(asks: readonly OperationRequest[]): readonly OperationResponse[] {
    const { database } = this.#context;
    try {
      const answers = database.read(() => asks.map((ask) => this.#safely(ask, () => this.#perform(ask))));
      this.#writeDownDamage();
      return answers;
    } catch (thrown) {
      const error = this.#failure(thrown);
      return asks.map(({ id }) => ({ id, error }));
    }
  }

  #perform(ask: OperationRequest): unknown {
    if (beginsWork(ask)) this.#reserve.require();
    // `Backend.call` lets each operation be asked for with nothing else than its own request.
    const operation = this.#operations[ask.name] as (request: unknown) => unknown;
    return operation(ask.request);
  }

  #safely(ask: OperationRequest, work: () => unknown): OperationResponse {
    try {
      return { id: ask.id, value: work() };
    } catch (thrown) {
      if (isLocked(thrown) && accessModeOf(this.#context, ask) === "read") throw thrown;
      return { id: ask.id, error: this.#failure(thrown) };
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

  /** So that lists know of it without reading. Whoever reads next finds it again if this cannot be written. */
  #writeDownDamage(): void {
    const { database, damage } = this.#context;
    if (damage.size === 0) return;
    const found = [...damage];
    damage.clear();
    try {
      database.write(false, () => {
        for (const [key, n] of found) {
          database.run(
            "UPDATE sessions SET damaged_at = min(coalesce(damaged_at, ?1), ?1) WHERE key = ?2",
            n,
            key,
          );
        }
      });
    } catch {
      // As said above.
    }
  }
}
