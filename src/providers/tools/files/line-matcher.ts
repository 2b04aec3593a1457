import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type Clock, sleep } from "../../../shared/async/clock.ts";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { compileForJs } from "./rust-pattern.ts";

/** The worker's program; a text, so that no build has to know of a second file. */
const PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on("message", (lines) => {
  parentPort.postMessage(lines.flatMap((line, at) => (pattern.test(line) ? [at] : [])));
});`;

/** Milliseconds that a pattern may take for one piece of a file. */
const LONGEST = 10_000;

/** A thread that finds the lines which a pattern fits. A hostile pattern may take for ever; a thread can be ended. */
export class LineMatcher implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  /** It took too long; nothing more can be asked. */
  failed = false;

  /** @throws HostError `tool_failed` for a pattern that is none */
  constructor(pattern: string, { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal }) {
    const { source, flags } = compileForJs(pattern);
    this.#clock = clock;
    this.#signal = signal;
    this.#worker = new Worker(PROGRAM, { eval: true, workerData: { source, flags }, env: {}, execArgv: [] });
  }

  /** Resolves with the places of the lines that fit. */
  async match(lines: readonly string[]): Promise<readonly number[]> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#signal]);
    const answer = once(this.#worker, "message", { signal });
    this.#worker.postMessage(lines, []);
    try {
      const first = await Promise.race([answer, sleep(this.#clock, LONGEST, signal)]);
      this.#signal.throwIfAborted();
      // The program above answers with numbers and nothing else.
      if (first !== undefined) return first[0] as readonly number[];
      this.failed = true;
      throw toolFailed("The pattern takes too long; write one without repetitions of repetitions");
    } finally {
      over.abort();
      // Given up on purpose.
      answer.catch(() => undefined);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
