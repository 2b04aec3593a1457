import pg from "pg";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { ResultRow } from "./columns.ts";
import { databaseFailure } from "./failure.ts";
import { lookAtWay, type Way } from "./pooler.ts";
import type { Statement } from "./statement.ts";

/** A place to run statements: the pool, or one transaction. */
export interface Sql {
  /** @throws HostError `store_*` */
  query(statement: Statement, values?: readonly unknown[]): Promise<readonly ResultRow[]>;
  /** Runs statements without values, which are not prepared. */
  execute(sql: string): Promise<void>;
}

/** The options of the connections to a database. */
export interface DatabaseOptions {
  readonly url: string;
  /** At most so many at a time. */
  readonly most: number;
  /** As the database lists this program. */
  readonly name: string;
}

/** A statement that gets no answer for so long has none to come, in milliseconds: its connection is given up. */
const LONGEST_STATEMENT = 30_000;
const LONGEST_CONNECT = 5_000;
/** A transaction in which nothing is said for so long is ended by the database: its host may have vanished without a word, and others wait for what it holds. */
const LONGEST_SILENCE = "15s";

/** PostgreSQL's type `bigint`: numbers up to 2^53 are all that this program writes. */
const BIGINT = 20;

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format),
};

/** The settings of every connection. None is a session's state: a pooler in transaction mode may stand between. */
export const clientConfig = ({ url, name }: Pick<DatabaseOptions, "url" | "name">): pg.ClientConfig => ({
  connectionString: url,
  application_name: name,
  connectionTimeoutMillis: LONGEST_CONNECT,
  query_timeout: LONGEST_STATEMENT,
  keepAlive: true,
  types: TYPES,
});

/** The connections of a host to its database. */
export class Connections implements Sql {
  readonly #pool: pg.Pool;
  /** Where the database is, without a password. */
  readonly where: string;
  #way: Way | undefined;
  #looking: Promise<Way> | undefined;
  #changes = 0;
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.where = placeOf(options.url);
    this.#pool = new pg.Pool({ ...clientConfig(options), max: options.most, allowExitOnIdle: true });
    // A connection that breaks while nobody uses it: the next one is new.
    this.#pool.on("error", () => undefined);
    // One may break before anybody has it, or say why after it is given up: an error that nobody hears ends the process.
    this.#pool.on("connect", (client) => {
      this.#changes += 1;
      client.on("error", () => undefined);
    });
    this.#pool.on("remove", () => (this.#changes += 1));
  }

  /** A count of connections that were made and that ended: after one ended, the next may be to a database that has crashed since. */
  get changes(): number {
    return this.#changes;
  }

  /** What stands between this host and the database. @throws HostError `store_unavailable` */
  async way(): Promise<Way> {
    this.#mustBeOpen();
    try {
      return await this.#look();
    } catch (thrown) {
      throw databaseFailure(thrown, this.where);
    }
  }

  async query(statement: Statement, values: readonly unknown[] = []): Promise<readonly ResultRow[]> {
    this.#mustBeOpen();
    try {
      const { prepares } = this.#way ?? (await this.#look());
      const { rows } = await this.#pool.query<ResultRow>(asQuery(statement, values, prepares));
      return rows;
    } catch (thrown) {
      throw databaseFailure(thrown, this.where);
    }
  }

  async execute(sql: string): Promise<void> {
    this.#mustBeOpen();
    try {
      await this.#pool.query(sql);
    } catch (thrown) {
      throw databaseFailure(thrown, this.where);
    }
  }

  /**
   * Runs statements as one.
   *
   * @param unsynced - the machine may lose it with its power, though nothing of it alone
   */
  async transaction<T>(work: (sql: Sql) => Promise<T>, unsynced = false): Promise<T> {
    const { prepares } = this.#way ?? (await this.way());
    this.#mustBeOpen();
    const client = await this.#pool.connect().catch((thrown: unknown) => {
      throw databaseFailure(thrown, this.where);
    });
    const within: Sql = {
      query: async (statement, values = []) => {
        const { rows } = await client.query<ResultRow>(asQuery(statement, values, prepares));
        return rows;
      },
      execute: async (sql) => void (await client.query(sql)),
    };
    let broken = false;
    // A connection that breaks between two statements says so nowhere else: the next statement fails.
    const noteBroken = (): void => void (broken = true);
    client.on("error", noteBroken);
    try {
      const begin = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '${LONGEST_SILENCE}'`;
      await client.query(unsynced ? `${begin}; SET LOCAL synchronous_commit = off` : begin);
      const result = await work(within);
      await client.query("COMMIT");
      return result;
    } catch (thrown) {
      await client.query("ROLLBACK").catch(() => (broken = true));
      throw databaseFailure(thrown, this.where);
    } finally {
      client.off("error", noteBroken);
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#pool.end();
  }

  /** Looks at the way once: it stays the same. */
  #look(): Promise<Way> {
    this.#looking ??= (async () => {
      const client = await this.#pool.connect();
      let isWell = false;
      try {
        this.#way = await lookAtWay(client);
        isWell = true;
        return this.#way;
      } finally {
        client.release(!isWell);
        this.#looking = undefined;
      }
    })();
    return this.#looking;
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new HostError("store_unavailable", "The store is closed.");
  }
}

const asQuery = (
  { name, text }: Statement,
  values: readonly unknown[],
  prepares: boolean,
): pg.QueryConfig => ({
  ...(prepares ? { name } : {}),
  text,
  values: [...values],
});

/** A database's address without name and password. */
export function placeOf(url: string): string {
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}
