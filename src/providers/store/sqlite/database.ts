import { pathToFileURL } from "node:url";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { integer, type ResultRow } from "./columns.ts";
import { isLocked, retryWhileLocked } from "./lock-retry.ts";

/** The file name of a database that has no file. */
export const MEMORY = ":memory:";

/** The database of a home: one connection for reading and writing, with its statements kept. */
export class Database {
  readonly file: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Whether commits wait for the disk; `left`: the caller sees to that. */
  #syncing: boolean | "left" = true;
  #isClaimed = false;
  #isUnsynced = false;
  /** Transactions that wrote, and those of them that waited for the disk. */
  commits = 0;
  syncs = 0;

  /** @param access - `there`: to write, to a file that is there; `still`: only to read, from a file that nobody has open; nothing is made beside it */
  constructor(file: string, access: "write" | "there" | "read" | "still" = "write") {
    this.file = file;
    // `retryWhileLocked` waits for other processes: SQLite's own pauses are longer than most of their locks.
    this.#connection = new DatabaseSync(locationOf(file, access), {
      timeout: 0,
      readOnly: access === "read" || access === "still",
    });
  }

  one(sql: string, ...values: SQLInputValue[]): ResultRow | undefined {
    return this.#statement(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): readonly ResultRow[] {
    return this.#statement(sql).all(...values);
  }

  /** Reads a result row by row, no further than the caller goes. */
  *each(sql: string, ...values: SQLInputValue[]): Generator<ResultRow, void, undefined> {
    const statement = this.#statement(sql);
    try {
      yield* statement.iterate(...values);
    } catch (thrown) {
      // A statement that failed halfway keeps its read transaction open. Running it again, with nothing to find, ends it.
      statement.get(...values.map(() => null));
      throw thrown;
    }
  }

  /** Reads the integer that a query gives under a name. */
  integer(name: string, sql: string, ...values: SQLInputValue[]): number {
    return integer(this.one(sql, ...values) ?? {}, name);
  }

  /** @param onConflict - a clause of SQL @returns the new row's id, in a table that has row ids */
  insert(table: string, row: Readonly<Record<string, SQLInputValue>>, onConflict = ""): number {
    const columns = Object.keys(row);
    const places = columns.map(() => "?").join(", ");
    const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places}) ${onConflict}`;
    return Number(this.#statement(sql).run(...Object.values(row)).lastInsertRowid);
  }

  /** Updates the rows that have all values of `where`. */
  update(
    table: string,
    row: Readonly<Record<string, SQLInputValue>>,
    where: Readonly<Record<string, SQLInputValue>>,
  ): void {
    const sql = `UPDATE ${table} SET ${places(row, ", ")} WHERE ${places(where, " AND ")}`;
    this.run(sql, ...Object.values(row), ...Object.values(where));
  }

  /** @returns how many rows it changed */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** Runs statements that are not worth keeping. */
  execute(sql: string): void {
    this.#connection.exec(sql);
  }

  /** Runs `read` on one consistent snapshot. */
  read<T>(read: () => T): T {
    return retryWhileLocked(() => {
      this.#statement("BEGIN").run();
      return this.#finish(read);
    });
  }

  /**
   * Runs `change` as one transaction.
   *
   * @param durable - whether it must survive the loss of power, not only the death of the process
   */
  write<T>(durable: boolean, change: () => T): T {
    if (!this.#isClaimed) retryWhileLocked(() => this.#begin(durable));
    this.#isClaimed = false;
    const result = this.#finish(change);
    this.commits += 1;
    if (durable) this.syncs += 1;
    if (durable && this.#syncing === "left") this.#isUnsynced = true;
    return result;
  }

  /** Begins the transaction of the next `write`. @throws while another process is writing */
  claim(durable: boolean): void {
    try {
      this.#begin(durable);
      this.#isClaimed = true;
    } catch (thrown) {
      // The write itself meets every other failure again.
      if (isLocked(thrown)) throw thrown;
    }
  }

  /** Gives up a transaction that was begun for a write that did not come. */
  unclaim(): void {
    if (this.#isClaimed) this.#connection.exec("ROLLBACK");
    this.#isClaimed = false;
  }

  /** From now on it is the caller who syncs the log, where there is one, as `takeUnsynced` says. */
  leaveSyncs(): void {
    const mode = this.one("PRAGMA journal_mode")?.["journal_mode"];
    if (mode !== "wal") return;
    this.#connection.exec("PRAGMA synchronous = NORMAL");
    this.#syncing = "left";
  }

  /** Runs `change`; when it throws, undoes its part of the transaction, and nothing else. */
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

  /** Whether there are commits that must survive the loss of power, for which the log is to be synced now. */
  takeUnsynced(): boolean {
    const isUnsynced = this.#isUnsynced;
    this.#isUnsynced = false;
    return isUnsynced;
  }

  #begin(durable: boolean): void {
    this.#sync(durable);
    this.#statement("BEGIN IMMEDIATE").run();
  }

  /** Switching costs less than a second connection, which would have to read again what this one wrote. */
  #sync(durable: boolean): void {
    if (this.#syncing === durable || this.#syncing === "left" || this.file === MEMORY) return;
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

function locationOf(file: string, access: "write" | "there" | "read" | "still"): string | URL {
  if (access === "write" || access === "read") return file;
  const url = pathToFileURL(file);
  url.search = access === "still" ? "immutable=1" : "mode=rw";
  return url;
}

const places = (row: object, separator: string): string =>
  Object.keys(row)
    .map((column) => `${column} = ?`)
    .join(separator);
