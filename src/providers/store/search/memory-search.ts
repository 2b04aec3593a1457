import { HostError } from "../../../shared/errors/host-error.ts";
import type { Database } from "../sqlite/database.ts";
import { makeIndexTables } from "./index-schema.ts";
import { IndexSearcher } from "./searcher.ts";
import { SearchIndex } from "./search-index.ts";
import type { SearchBackend } from "./search-messages.ts";

/** An index in the database of a home in memory. */
export class MemorySearch implements SearchBackend {
  readonly #database: Database;
  #searcher: IndexSearcher | undefined;
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  call: SearchBackend["call"] = async (name, request) => {
    if (this.#closed) throw new HostError("store_unavailable", "The store is closed.");
    await Promise.resolve();
    this.#searcher ??= this.#opened();
    // Nobody waits for memory: it takes the time that it takes.
    const unhurried = { ...request, ms: Number.POSITIVE_INFINITY };
    const operation = this.#searcher[name].bind(this.#searcher) as (input: unknown) => unknown;
    // The operation of that name returns what the call does.
    return operation(unhurried) as never;
  };

  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  #opened(): IndexSearcher {
    const database = this.#database;
    makeIndexTables(database);
    return new IndexSearcher(new SearchIndex(database, { schema: "main", version: () => database.commits }));
  }
}
