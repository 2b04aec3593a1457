import { Worker } from "node:worker_threads";
import { fromErrorRecord, HostError, messageOf } from "../../../shared/errors/host-error.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import type { StoreBackend, StoreOperationName, StoreEvent } from "../operations.ts";
import type {
  OperationResponse,
  OperationRequest,
  WorkerOutput,
  WorkerSettings,
  WorkerInput,
} from "./worker-messages.ts";

/** Starts the thread's program with its data. */
export type StartThread = (data: WorkerSettings) => Worker;

export const startThread: StartThread = (data) => newThread(data);

/** Starts a thread before anybody knows for which store: it loads its program while the process still reads its settings. */
export function startThreadAhead(): StartThread {
  const worker = newThread(null);
  worker.unref();
  let lost = false;
  worker.on("error", () => (lost = true));
  return (data) => {
    if (lost) return startThread(data);
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(data);
    return worker;
  };
}

/** Without the command's flags and environment: the thread needs neither. */
const newThread = (data: WorkerSettings | null): Worker =>
  new Worker(programFile(import.meta.url, { source: "./worker.ts", built: "store-worker.js" }), {
    name: "store",
    workerData: data,
    execArgv: [],
    env: {},
  });

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: HostError) => void;
}

/** A database in a thread of its own. What is asked in one tick travels together. */
export class WorkerBackend implements StoreBackend {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #tell: (event: StoreEvent) => void;
  #asks: OperationRequest[] = [];
  #lastId = 0;
  #over: HostError | undefined;

  constructor(worker: Worker, tell: (event: StoreEvent) => void) {
    this.#worker = worker;
    this.#tell = tell;
    worker.on("message", (message: WorkerOutput) => this.#take(message));
    worker.on("error", (error) => this.#end(gone(messageOf(error))));
    worker.on("exit", () => this.#end(gone("it stopped")));
  }

  /** @throws HostError `store_unavailable`, `store_full`, `store_corrupt` */
  async opened(): Promise<void> {
    await this.#opened.promise;
    this.#worker.unref();
  }

  call: StoreBackend["call"] = (name, request) => {
    if (this.#over !== undefined) return Promise.reject(this.#over);
    // The thread answers with what the operation of that name returns.
    return this.#ask(name, request) as Promise<never>;
  };

  async close(): Promise<void> {
    if (this.#over === undefined) {
      this.#over = closed();
      this.#flush();
      this.#worker.ref();
      this.#post({ type: "close" });
    }
    await this.#ended.promise;
  }

  #ask(name: StoreOperationName, request: unknown): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    // A process does not end while it waits for its store, and is not kept alive by one that it does not use.
    if (this.#waiting.size === 0) this.#worker.ref();
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, { resolve, reject });
    this.#asks.push({ id: this.#lastId, name, request });
    if (this.#asks.length === 1) queueMicrotask(() => this.#flush());
    return promise;
  }

  #flush(): void {
    if (this.#asks.length === 0) return;
    const asks = this.#asks;
    this.#asks = [];
    this.#post({ type: "asks", asks });
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
      case "answers":
        for (const answer of message.answers) this.#settle(answer);
        if (this.#waiting.size === 0 && this.#over === undefined) this.#worker.unref();
        return;
      case "events":
        for (const event of message.events) this.#tell(event);
        return;
      case "closed":
        return;
    }
  }

  #settle(answer: OperationResponse): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ("error" in answer) waiting?.reject(fromErrorRecord(answer.error));
    else waiting?.resolve(answer.value);
  }

  /** The thread is gone: nothing that still waits will be answered. */
  #end(reason: HostError): void {
    this.#over ??= reason;
    this.#opened.reject(reason);
    // Whoever opened the store hears of it there; nobody waits for it after that.
    this.#opened.promise.catch(() => undefined);
    for (const { reject } of this.#waiting.values()) reject(this.#over);
    this.#waiting.clear();
    this.#ended.resolve();
  }
}

const closed = (): HostError => new HostError("store_unavailable", "The store is closed.");

const gone = (why: string): HostError =>
  new HostError("store_unavailable", `The store's thread ended: ${why}. Start the program again.`);
