import type { Worker } from "node:worker_threads";
import { type ErrorRecord, fromErrorRecord, HostError, messageOf } from "../errors/host-error.ts";

/** A call on its way to the thread; `close` is the last one. */
export interface ThreadCall<Name extends string = string, Input = unknown> {
  readonly id: number;
  readonly name: Name;
  readonly input: Input;
}

/** The thread's answer to a call. */
export type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorRecord };

/** A thread that is called. */
export interface CallingThreadOptions {
  readonly start: () => Worker;
  /** The owner of the thread in errors: `The knowledge base`. */
  readonly whose: string;
  /** Told when a thread is gone with all that it knew. */
  readonly lost?: () => void;
}

/** A thread that answers calls. It starts with the first one; when it is gone, what waits fails and the next call starts another. */
export class CallingThread {
  readonly #options: CallingThreadOptions;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;

  constructor(options: CallingThreadOptions) {
    this.#options = options;
  }

  /** @throws HostError `store_unavailable` when it is closed or its thread ends; what the call throws there */
  call(name: string, input: unknown): Promise<unknown> {
    const { whose } = this.#options;
    if (this.#closed) return Promise.reject(new HostError("store_unavailable", `${whose} is closed.`));
    const worker = (this.#worker ??= this.#start());
    const pending = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#pending.set(this.#lastId, pending);
    // A process waits for its answers, and for nothing else here.
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ id: this.#lastId, name, input } satisfies ThreadCall);
    return pending.promise;
  }

  /** Ends the thread once it has done what it was asked before. */
  async close(): Promise<void> {
    if (this.#closed) return;
    const worker = this.#worker;
    const ending = worker && this.call("close", null);
    this.#closed = true;
    await ending?.catch(() => undefined);
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = this.#options.start();
    worker.on("message", (answer: ThreadAnswer) => this.#settle(answer));
    worker.on("error", (error) => this.#end(worker, messageOf(error)));
    worker.on("exit", () => this.#end(worker, "it stopped"));
    return worker;
  }

  #settle(answer: ThreadAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if ("error" in answer) pending?.reject(fromErrorRecord(answer.error));
    else pending?.resolve(answer.value);
  }

  #end(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const { whose, lost } = this.#options;
    const error = new HostError("store_unavailable", `${whose}: its thread ended: ${why}.`);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    lost?.();
  }
}
