import { setImmediate as nextTurn } from "node:timers/promises";
import { HostError } from "../../../shared/errors/host-error.ts";
import type { Backend, HostFacts, OperationName, Operations, StoreEvent } from "../operations.ts";
import type { HomeData } from "./home.ts";
import { endHost } from "./hosts.ts";
import { type HostView, look, memoryOperations } from "./operate.ts";

const MOST_TICKS = 3;

/** Take effect at once, as they do in a database's thread: before everything that is asked afterwards. */
const LOCAL: ReadonlySet<OperationName> = new Set<OperationName>(["watch", "unwatch", "listen", "stats"]);

export interface MemoryPorts {
  readonly home: HomeData;
  readonly me: HostFacts;
  readonly random: () => number;
  readonly tell: (event: StoreEvent) => void;
}

/**
 * A host of a home in memory. Requests take effect in the order in which they were made, as in a database, but each
 * a random number of ticks later, and its answer comes another random number of ticks after that.
 */
export class MemoryBackend implements Backend {
  readonly #view: HostView;
  readonly #random: () => number;
  readonly #operations: Operations;
  readonly #unsubscribe: () => void;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  #dead = false;

  constructor({ home, me, random, tell }: MemoryPorts) {
    this.#view = { home, me, tell, watched: new Map(), sent: new Set(), listening: false, appends: 0 };
    this.#random = random;
    this.#operations = memoryOperations(this.#view);
    this.#unsubscribe = home.onChange((by) => {
      if (by !== me.id) void this.#notice();
    });
  }

  call: Backend["call"] = async (name, request) => {
    if (this.#closed) throw new HostError("store_unavailable", "The store is closed.");
    // What is asked of a database is copied on its way there: what the caller changes later changes nothing.
    const copy = structuredClone(request);
    // The table has for each name the operation that takes the request of that name.
    const operation = this.#operations[name] as (request: unknown) => never;
    if (LOCAL.has(name)) return operation(copy);
    const before = this.#last;
    const effect = this.#ticks()
      .then(() => before)
      .then(() => {
        if (this.#dead) return new Promise<never>(() => undefined);
        const answer = operation(copy);
        this.#view.home.changed(this.#view.me.id);
        return structuredClone(answer);
      });
    this.#last = effect.catch(() => undefined);
    const answer = await effect;
    await this.#ticks();
    void this.#notice();
    return answer;
  };

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    await this.#last;
    endHost(this.#view.home, this.#view.me.id);
    this.#view.home.changed(this.#view.me.id);
  }

  /** Ends without a word, as a process that is killed. */
  die(): void {
    this.#closed = true;
    this.#dead = true;
    this.#unsubscribe();
  }

  /** After the answer has reached who asked: a host learns that it drives a session before it gets commands for it. */
  async #notice(): Promise<void> {
    await nextTurn();
    await this.#ticks();
    if (!this.#closed) look(this.#view);
  }

  async #ticks(): Promise<void> {
    for (let left = Math.floor(this.#random() * (MOST_TICKS + 1)); left > 0; left -= 1) {
      if (this.#random() < 0.5) await nextTurn();
      else await Promise.resolve();
    }
  }
}
