import type { AppendRequest, AppendResult, HostError, Store } from "../../../src/core/index.ts";
import { untilTrue } from "../../kit/test-host.ts";

/** An append that has left its writer, and waits for the test. */
export interface HeldAppend {
  readonly request: AppendRequest;
  /** Its writer was told. */
  readonly isOver: boolean;
  /** Lets the store carry it out. Its writer is not told yet. */
  carryOut(): Promise<void>;
  /** Tells the writer what became of it: what the store said, or what it would say later. */
  answer(later?: AppendResult): void;
  /** Lets it fail, carried out or not. */
  fail(error: HostError): void;
}

/** The appends of a store, each of which waits for the test once `hold` was called. */
export class HeldAppends {
  readonly #store: Store;
  readonly #all: HeldAppend[] = [];
  #holds = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** From now on appends wait. */
  hold(): void {
    this.#holds = true;
  }

  /** Those that wait pass in order, and so do all that come from now on. */
  async passAll(): Promise<void> {
    this.#holds = false;
    for (const append of this.#all) {
      if (append.isOver) continue;
      await append.carryOut();
      append.answer();
    }
  }

  /** All that were held so far, as soon as there are `count`. */
  async sent(count: number): Promise<readonly HeldAppend[]> {
    await untilTrue(() => this.#all.length >= count);
    return this.#all;
  }

  readonly append = (request: AppendRequest): Promise<AppendResult> => {
    if (!this.#holds) return this.#store.append(request);
    const { promise, resolve, reject } = Promise.withResolvers<AppendResult>();
    let result: AppendResult | undefined;
    let isOver = false;
    this.#all.push({
      request,
      get isOver() {
        return isOver;
      },
      carryOut: async () => void (result ??= await this.#store.append(request)),
      answer(later) {
        if (result === undefined) throw new Error("It was not carried out.");
        isOver = true;
        resolve(later ?? result);
      },
      fail(error) {
        isOver = true;
        reject(error);
      },
    });
    return promise;
  };
}
