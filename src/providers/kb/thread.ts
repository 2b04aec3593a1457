import { Worker } from "node:worker_threads";
import { fromErrorRecord, HostError, messageOf } from "../../shared/errors/host-error.ts";
import { programFile } from "../../shared/files/program-file.ts";
import type { KbAnswer, KbCallName, KbCalls, KbThreadSettings } from "./messages.ts";

/** The database of a knowledge base in a thread of its own, which starts with the first call. */
export class KbThread {
  readonly #settings: KbThreadSettings;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;

  constructor(settings: KbThreadSettings) {
    this.#settings = settings;
  }

  call<K extends KbCallName>(name: K, ...input: Parameters<KbCalls[K]>): Promise<ReturnType<KbCalls[K]>> {
    if (this.#closed)
      return Promise.reject(new HostError("store_unavailable", "The knowledge base is closed."));
    const worker = (this.#worker ??= this.#start());
    const pending = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#pending.set(this.#lastId, pending);
    // A process waits for its answers, and for nothing else here.
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ id: this.#lastId, name, input });
    // The thread answers with what the call of that name gives.
    return pending.promise as Promise<ReturnType<KbCalls[K]>>;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.once("exit", () => resolve());
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage("close");
    await promise;
  }

  #start(): Worker {
    const program = programFile(import.meta.url, { source: "./worker.ts", built: "kb-worker.js" });
    const worker = new Worker(program, {
      name: "knowledge base",
      workerData: this.#settings,
      execArgv: [],
      env: {},
    });
    worker.on("message", (answer: KbAnswer) => this.#settle(answer));
    worker.on("error", (error) => this.#end(worker, messageOf(error)));
    worker.on("exit", () => this.#end(worker, "it stopped"));
    return worker;
  }

  #settle(answer: KbAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if ("error" in answer) pending?.reject(fromErrorRecord(answer.error));
    else pending?.resolve(answer.value);
  }

  /** What waits for it fails; the next call starts another one. */
  #end(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const error = new HostError("store_unavailable", `The knowledge base's thread ended: ${why}.`);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
