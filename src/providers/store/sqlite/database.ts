import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { ResultRow } from "./columns.ts";
import { retryWhileLocked } from "./lock-retry.ts";

/** The file name of a database that has no file. */
export const MEMORY = ":memory:";

/** The database of a home: one connection for reading and writing, with its statements kept. */
export class Database {
  readonly file: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #syncing = true;
  #commits = 0;
  #syncs = 0;

  constructor(file: string) {
    this.file = file;
    // Waiting for other processes is `retryWhileLocked`'s: SQLite's own naps are longer than most of their locks.
    this.#connection = new DatabaseSync(file, { timeout: 0 });
  }

  get commits(): number {
    return this.#commits;
  }

  get syncs(): number {
    return this.#syncs;
  }

  one(sql: string, ...values: SQLInputValue[]): ResultRow | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): readonly ResultRow[] {
    return this.#statement(sql).all(...values);
  }

  /** Steps through a result; it is read no further than the caller goes. */
  *each(sql: string, ...values: SQLInputValue[]): Generator<ResultRow, void, undefined> {
    const statement = this.#statement(sql);
    try {
      yield* statement.iterate(...values);
    } catch (thrown) {
      // A statement that failed on the way stays where it is, and holds on to its moment of the database: another run
      // of it, with nothing to find, lets go.
      statement.get(...values.map(() => null));
      throw thrown;
    }
  }

  /** @returns how many rows it changed */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** Runs statements that are not worth keeping. */
  execute(sql: string): void {
    this.#connection.exec(sql);
  }

  /** Everything that `read` reads is of one moment. */
  read<T>(read: () => T): T {
    return retryWhileLocked(() => this.#transaction("BEGIN", read));
  }

  /**
   * Runs `change` as one transaction.
   *
   * @param durable - it shall survive the loss of power, not only the death of the process
   */
  write<T>(durable: boolean, change: () => T): T {
    this.#sync(durable);
    retryWhileLocked(() => this.#statement("BEGIN IMMEDIATE").run());
    const result = this.#finish(change);
    this.#commits += 1;
    if (durable) this.#syncs += 1;
    return result;
  }

  /** Undoes what `change` did when it throws, and nothing else of the transaction around it. */
  attempt<T>(change: () => T): T {
    this.#statement("SAVEPOINT attempt").run();
    try {
      const result = change();
      this.#statement("RELEASE attempt").run();
      return result;
    } catch (thrown) {
      // Some failures, such as a full disk, have ended the whole transaction already.
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK TO attempt; RELEASE attempt");
      throw thrown;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#connection.close();
  }

  #transaction<T>(begin: string, work: () => T): T {
    this.#statement(begin).run();
    return this.#finish(work);
  }

  #finish<T>(work: () => T): T {
    try {
      const result = work();
      this.#statement("COMMIT").run();
      return result;
    } catch (thrown) {
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      throw thrown;
    }
  }

  /** Switching costs less than a second connection, which would have to read again what this one wrote. */
  #sync(durable: boolean): void {
    if (this.#syncing === durable || this.file === MEMORY) return;
    this.#connection.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
    this.#syncing = durable;
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
