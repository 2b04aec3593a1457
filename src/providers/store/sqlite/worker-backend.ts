import { Worker } from "node:worker_threads";
import { withCallerFrames } from "../../../shared/errors/caller-frames.ts";
import { fromErrorRecord, HostError, messageOf } from "../../../shared/errors/host-error.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import type { StoreBackend, StoreEvent } from "../operations.ts";
import type {
  OperationResponse,
  OperationRequest,
  WorkerOutput,
  WorkerSettings,
  WorkerInput,
} from "./worker-messages.ts";

/** A function that starts the thread's program with its data. */
export type StartThread = (data: WorkerSettings) => Worker;

/** A thread that was started before it was known whether it is needed. */
export interface ThreadAhead {
  readonly startThread: StartThread;
  /** Ends it when it is not. */
  readonly dropThread: () => void;
}

/** Starts a thread before its store is known: it loads its program while the process still reads its settings. */
export function startThreadAhead(): ThreadAhead {
  const worker = startThread(null);
  worker.unref();
  let lost = false;
  worker.on("error", () => (lost = true));
  return {
    startThread(data) {
      if (lost) return startThread(data);
      worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      worker.postMessage(data);
      return worker;
    },
    dropThread: () => void worker.terminate(),
  };
}

/** Starts the thread without the command's flags and environment: it needs neither. */
export const startThread = (data: WorkerSettings | null): Worker =>
  new Worker(programFile(import.meta.url, { source: "./worker.ts", built: "store-worker.js" }), {
    name: "store",
    workerData: data,
    execArgv: [],
    env: {},
  });

/** A backend over a database in a thread of its own. The requests of one tick travel together. */
export class WorkerBackend implements StoreBackend {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #emit: (event: StoreEvent) => void;
  #requests: OperationRequest[] = [];
  #lastId = 0;
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

  call: StoreBackend["call"] = (name, request) => {
    if (this.#endedBy !== undefined) return Promise.reject(this.#endedBy);
    this.#lastId += 1;
    const sent = { id: this.#lastId, name, input: request } as OperationRequest;
    // The thread responds with what the operation of that name returns.
    return withCallerFrames(this.#request(sent)) as Promise<never>;
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

  #request(request: OperationRequest): Promise<unknown> {
    const pending = Promise.withResolvers<unknown>();
    // A process stays alive while it waits for its store, and only then.
    if (this.#pending.size === 0) this.#worker.ref();
    this.#pending.set(request.id, pending);
    this.#requests.push(request);
    if (this.#requests.length === 1) queueMicrotask(() => this.#flush());
    return pending.promise;
  }

  #flush(): void {
    if (this.#requests.length === 0) return;
    const requests = this.#requests;
    this.#requests = [];
    this.#post({ type: "requests", requests });
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
        for (const response of message.responses) this.#settle(response);
        if (this.#pending.size === 0 && this.#endedBy === undefined) this.#worker.unref();
        return;
      case "events":
        for (const event of message.events) this.#emit(event);
        return;
      case "closed":
        return;
    }
  }

  #settle(response: OperationResponse): void {
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ("error" in response) pending?.reject(fromErrorRecord(response.error));
    else pending?.resolve(response.value);
  }

  /** The thread is gone: every pending request fails. */
  #end(reason: HostError): void {
    this.#endedBy ??= reason;
    this.#opened.reject(reason);
    // The opener has heard of it; nobody waits for this promise after that.
    this.#opened.promise.catch(() => undefined);
    for (const { reject } of this.#pending.values()) reject(this.#endedBy);
    this.#pending.clear();
    this.#ended.resolve();
  }
}

const gone = (why: string): HostError =>
  new HostError("store_unavailable", `The store's thread ended: ${why}. Start the program again.`);
