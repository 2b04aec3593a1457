import { Worker } from "node:worker_threads";
import { withCallerFrames } from "../../../shared/errors/caller-frames.ts";
import { fromErrorRecord, HostError, messageOf } from "../../../shared/errors/host-error.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import type { StoreBackend, StoreEvent } from "../operations.ts";
import { AwaitedOperations } from "./awaited-operations.ts";
import type { DatabaseSettings, WorkerInput, WorkerOutput } from "./worker-messages.ts";

/** A function that starts the thread's program with its data. */
export type StartThread = (data: DatabaseSettings) => Worker;

/** Starts the thread without the command's flags and environment: it needs neither. */
export const startThread: StartThread = (data) =>
  new Worker(programFile(import.meta.url, { source: "./worker.ts", built: "store-worker.js" }), {
    name: "store",
    workerData: data,
    execArgv: [],
    env: {},
  });

/** A backend over a database in a thread of its own. The requests of one tick travel together. */
export class WorkerBackend implements StoreBackend {
  readonly #worker: Worker;
  readonly #requests = new AwaitedOperations();
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #emit: (event: StoreEvent) => void;
  #endedBy: HostError | undefined;

  constructor(worker: Worker, emit: (event: StoreEvent) => void) {
    this.#worker = worker;
    this.#emit = emit;
    worker.on("message", (message: WorkerOutput) => this.#take(message));
    worker.on("error", (error) => this.#end(gone(messageOf(error))));
    worker.on("exit", () => this.#end(gone("it stopped")));
  }

  /** @throws HostError `store_unavailable`, `store_full`, `store_corrupt` */
  async opened(): Promise<void> {
    await withCallerFrames(this.#opened.promise);
    this.#worker.unref();
  }

  call: StoreBackend["call"] = (name, input) => {
    if (this.#endedBy !== undefined) return Promise.reject(this.#endedBy);
    // A process stays alive while it waits for its store, and only then.
    if (this.#requests.count === 0) this.#worker.ref();
    if (this.#requests.unsent === 0) queueMicrotask(() => this.#flush());
    return this.#requests.add(name, input);
  };

  async close(): Promise<void> {
    if (this.#endedBy === undefined) {
      this.#endedBy = new HostError("store_unavailable", "The store is closed.");
      this.#flush();
      this.#worker.ref();
      this.#post({ type: "close" });
    }
    await this.#ended.promise;
  }

  #flush(): void {
    const requests = this.#requests.takeUnsent();
    if (requests.length > 0) this.#post({ type: "requests", requests });
  }

  #post(message: WorkerInput): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage(message);
  }

  #take(message: WorkerOutput): void {
    switch (message.type) {
      case "ready":
        return this.#opened.resolve();
      case "failed":
        return this.#end(fromErrorRecord(message.error));
      case "responses":
        this.#requests.settle(message.responses);
        if (this.#requests.count === 0 && this.#endedBy === undefined) this.#worker.unref();
        return;
      case "event":
        return this.#emit(message.event);
    }
  }

  /** The thread is gone: every pending request fails. */
  #end(reason: HostError): void {
    this.#endedBy ??= reason;
    this.#opened.reject(reason);
    // The opener has heard of it; nobody waits for this promise after that.
    this.#opened.promise.catch(() => undefined);
    this.#requests.drop(this.#endedBy);
    this.#ended.resolve();
  }
}

const gone = (why: string): HostError =>
  new HostError("store_unavailable", `The store's thread ended: ${why}. Start the program again.`);
