import { Worker } from "node:worker_threads";
import type { Checkpoints } from "../../core/index.ts";
import { fromErrorRecord, HostError, messageOf } from "../../shared/errors/host-error.ts";
import { programFile } from "../../shared/files/program-file.ts";
import type { CallName, ThreadAnswer, ThreadCalls, ThreadSettings } from "./messages.ts";

/** The options of checkpoints. */
export interface CheckpointOptions extends Omit<ThreadSettings, "patienceMs"> {
  /** Milliseconds that a command waits for the first look at its workspace at most; 5,000 by default. */
  readonly patienceMs?: number;
  /** Sessions with processes in the background. */
  readonly running: () => readonly string[];
  /** Told of what failed and stopped nobody. */
  readonly report: (error: HostError) => void;
}

const PATIENCE_MS = 5000;

/** Opens the checkpoints of a home. The thread that does the work starts with the first call. */
export function openCheckpoints(options: CheckpointOptions): Checkpoints & AsyncDisposable {
  const thread = new CheckpointThread(options);
  const { running, report } = options;
  const quietly = async <T>(work: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      // A call of a tool is not stopped for want of a way back.
      report(new HostError("store_unavailable", `Checkpoints: ${messageOf(thrown)}`, { cause: thrown }));
      return otherwise;
    }
  };
  return {
    prepare: (roots) => thread.prepare(roots),
    before: (change) => quietly(thread.call("before", { change, running: running() }), []),
    async after(mark, goesOn) {
      if (mark.length > 0) await quietly(thread.call("after", { mark, goesOn }), null);
    },
    turns: (session) => thread.call("turns", session),
    diff: (past, limit) => thread.call("diff", { past, limit }),
    preview: (wish) => thread.call("preview", wish),
    restore: (wish) => thread.call("restore", wish),
    copy: async (from, to, upTo) => void (await thread.call("copy", { from, to, upTo })),
    forget: async (session) => void (await thread.call("forget", session)),
    [Symbol.asyncDispose]: () => thread.close(),
  };
}

/** The thread of the checkpoints, as its process sees it. */
class CheckpointThread {
  readonly #settings: ThreadSettings;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  /** The workspaces that the thread was told of, as JSON. */
  readonly #prepared = new Set<string>();
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;

  constructor({ patienceMs = PATIENCE_MS, running: _running, report: _report, ...rest }: CheckpointOptions) {
    this.#settings = { ...rest, patienceMs };
  }

  call<K extends CallName>(name: K, input: ThreadCalls[K]["input"]): Promise<ThreadCalls[K]["value"]> {
    if (this.#closed)
      return Promise.reject(new HostError("store_unavailable", "The checkpoints are closed."));
    const worker = (this.#worker ??= this.#start());
    const pending = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#pending.set(this.#lastId, pending);
    // A process waits for its files, and for nothing else here.
    worker.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage({ id: this.#lastId, name, input });
    // The thread answers with what the call of that name gives.
    return pending.promise as Promise<ThreadCalls[K]["value"]>;
  }

  /** Tells the thread of a workspace, once: its first look at it is the only one that takes long. */
  prepare(roots: readonly string[]): void {
    const key = JSON.stringify(roots);
    if (this.#prepared.has(key)) return;
    this.#prepared.add(key);
    this.call("prepare", roots).catch(() => this.#prepared.delete(key));
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker !== undefined && !this.#closed) {
      await this.call("close", null).catch(() => undefined);
      await worker.terminate();
    }
    this.#closed = true;
  }

  #start(): Worker {
    const program = programFile(import.meta.url, { source: "./worker.ts", built: "checkpoint-worker.js" });
    const worker = new Worker(program, {
      name: "checkpoints",
      workerData: this.#settings,
      execArgv: [],
      env: {},
    });
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

  /** What waits for it fails; the next call starts another one. */
  #end(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const error = new HostError("store_unavailable", `The checkpoints' thread ended: ${why}.`);
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#prepared.clear();
  }
}
