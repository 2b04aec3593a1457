import { Worker } from "node:worker_threads";
import type { Checkpoints } from "../../core/index.ts";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";
import { programFile } from "../../shared/files/program-file.ts";
import { CallingThread } from "../../shared/threads/calling-thread.ts";
import type { CallName, ThreadCalls, ThreadSettings } from "./messages.ts";

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
  readonly #thread: CallingThread;
  /** The workspaces that the thread was told of, as JSON. */
  readonly #prepared = new Set<string>();

  constructor({ patienceMs = PATIENCE_MS, running: _running, report: _report, ...rest }: CheckpointOptions) {
    const program = programFile(import.meta.url, { source: "./worker.ts", built: "checkpoint-worker.js" });
    const settings: ThreadSettings = { ...rest, patienceMs };
    const options = { name: "checkpoints", workerData: settings, execArgv: [], env: {} };
    this.#thread = new CallingThread({
      whose: "The store of checkpoints",
      start: () => new Worker(program, options),
      lost: () => this.#prepared.clear(),
    });
  }

  call<K extends CallName>(name: K, input: ThreadCalls[K]["input"]): Promise<ThreadCalls[K]["value"]> {
    // The thread answers with what the call of that name gives.
    return this.#thread.call(name, input) as Promise<ThreadCalls[K]["value"]>;
  }

  /** Tells the thread of a workspace, once: its first look at it is the only one that takes long. */
  prepare(roots: readonly string[]): void {
    const key = JSON.stringify(roots);
    if (this.#prepared.has(key)) return;
    this.#prepared.add(key);
    this.call("prepare", roots).catch(() => this.#prepared.delete(key));
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
