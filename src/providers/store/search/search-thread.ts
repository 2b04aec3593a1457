import { Worker } from "node:worker_threads";
import { withCallerFrames } from "../../../shared/errors/caller-frames.ts";
import { fromErrorRecord, HostError, messageOf } from "../../../shared/errors/host-error.ts";
import type { Clock } from "../../../shared/async/clock.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import type { SearchBackend, SearchReply, SearchRequest, SearchSettings } from "./search-messages.ts";

/** A function that starts the thread's program with its data. */
export type StartSearchThread = (data: SearchSettings) => Worker;

const startThread: StartSearchThread = (data) =>
  new Worker(programFile(import.meta.url, { source: "./worker.ts", built: "search-worker.js" }), {
    name: "search",
    workerData: data,
    execArgv: [],
    env: {},
  });

/** Milliseconds without a request after which the thread ends; the next request starts another one. */
const IDLE = 60_000;

/** The index of a home in a thread of its own, which runs while it is needed. */
export class SearchThread implements SearchBackend {
  readonly #start: () => Worker;
  readonly #clock: Clock;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;
  #cancelEnd: () => void = () => undefined;

  constructor(settings: SearchSettings, clock: Clock, start: StartSearchThread = startThread) {
    this.#start = () => start(settings);
    this.#clock = clock;
  }

  call: SearchBackend["call"] = (name, input) => {
    if (this.#closed) return Promise.reject(new HostError("store_unavailable", "The store is closed."));
    const worker = (this.#worker ??= this.#started());
    this.#cancelEnd();
    this.#lastId += 1;
    const pending = Promise.withResolvers<unknown>();
    // A process stays alive while it waits for an answer, and only then.
    if (this.#pending.size === 0) worker.ref();
    this.#pending.set(this.#lastId, pending);
    // A name goes with its own input.
    const request = { id: this.#lastId, name, input } as SearchRequest;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(request);
    // The thread answers with what the operation of that name returns.
    return withCallerFrames(pending.promise) as Promise<never>;
  };

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelEnd();
    await this.#end();
  }

  #started(): Worker {
    const worker = this.#start();
    worker.on("message", (reply: SearchReply) => this.#settle(worker, reply));
    worker.on("error", (error) => this.#lost(worker, messageOf(error)));
    worker.on("exit", () => this.#lost(worker, "it stopped"));
    worker.unref();
    return worker;
  }

  #settle(worker: Worker, reply: SearchReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ("error" in reply) pending?.reject(fromErrorRecord(reply.error));
    else pending?.resolve(reply.value);
    if (this.#pending.size > 0 || this.#worker !== worker) return;
    worker.unref();
    this.#cancelEnd = this.#clock.after(IDLE, () => void this.#end());
  }

  async #end(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    this.#worker = undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.once("exit", () => resolve());
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage("close");
    await promise;
  }

  /** The thread is gone: what waited for it fails, and the next request starts another one. */
  #lost(worker: Worker, why: string): void {
    if (this.#worker === worker) this.#worker = undefined;
    const error = new HostError("store_unavailable", `The search ended: ${why}. Search again.`);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
