import { Worker } from "node:worker_threads";
import { programFile } from "../../shared/files/program-file.ts";
import { CallingThread } from "../../shared/threads/calling-thread.ts";
import type { KbCallName, KbCalls, KbKeeper, KbThreadSettings } from "./messages.ts";

/** The database of a knowledge base in a thread of its own, which starts with the first call. */
export class KbThread implements KbKeeper {
  readonly #thread: CallingThread;

  constructor(settings: KbThreadSettings) {
    const program = programFile(import.meta.url, { source: "./worker.ts", built: "kb-worker.js" });
    const options = { name: "knowledge base", workerData: settings, execArgv: [], env: {} };
    this.#thread = new CallingThread({
      whose: "The knowledge base",
      start: () => new Worker(program, options),
    });
  }

  call<K extends KbCallName>(name: K, ...input: Parameters<KbCalls[K]>): Promise<ReturnType<KbCalls[K]>> {
    // The thread answers with what the call of that name gives.
    return this.#thread.call(name, input) as Promise<ReturnType<KbCalls[K]>>;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
