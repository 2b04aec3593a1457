import { HostError } from "../../../../shared/errors/host-error.ts";
import type { SearchBackend, SearchOperations } from "../../search/search-messages.ts";
import type { Connections } from "../connections.ts";
import { sumPersonUsage } from "../usage/person-usage.ts";
import { sumUsage } from "../usage/usage-report.ts";
import { TextIndex } from "./text-index.ts";
import { searchTexts } from "./searcher.ts";

/** Reading takes so much longer over a network than in a thread of this machine, and other hosts may be at it. */
const SLOWER = 20;

/** The operations, each answered in its time. */
type Answers = {
  readonly [Name in keyof SearchOperations]: (
    request: Parameters<SearchOperations[Name]>[0],
  ) => Promise<ReturnType<SearchOperations[Name]>>;
};

/** The searches and sums of what is in the database, by an index that lies there, too. */
export class PostgresSearch implements SearchBackend {
  readonly #connections: Connections;
  readonly #index: TextIndex;
  #closed = false;

  /** @param connections - of its own; closing ends them */
  constructor(connections: Connections) {
    this.#connections = connections;
    this.#index = new TextIndex(connections);
  }

  call: SearchBackend["call"] = async (name, request) => {
    if (this.#closed) throw new HostError("store_unavailable", "The store is closed.");
    const answer = this.#answers[name] as (input: unknown) => Promise<unknown>;
    // The operation of that name answers what the call does.
    return (await answer(request)) as never;
  };

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connections.close();
  }

  readonly #answers: Answers = {
    catchUp: ({ ms }) => this.#catchUp(ms),
    search: async ({ query, ms }) => {
      const complete = await this.#caughtUp(ms);
      return { ...(await searchTexts(this.#connections, query)), complete };
    },
    usage: async ({ query, ms }) => {
      const complete = await this.#caughtUp(ms);
      return { ...(await sumUsage(this.#connections, query)), complete };
    },
    personUsage: async ({ query, ms }) => {
      await this.#caughtUp(ms);
      return sumPersonUsage(this.#connections, query);
    },
  };

  #catchUp(ms: number): Promise<boolean> {
    const until = performance.now() + ms * SLOWER;
    return this.#index.catchUp(() => this.#closed || performance.now() >= until);
  }

  /** A database that takes no writes is no reason to find nothing. */
  async #caughtUp(ms: number): Promise<boolean> {
    try {
      return await this.#catchUp(ms);
    } catch {
      return false;
    }
  }
}
