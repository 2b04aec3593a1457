import { Worker } from "node:worker_threads";
import type { Clock } from "../../../shared/async/clock.ts";
import { KeyedSemaphore } from "../../../shared/async/keyed-semaphore.ts";
import { fromErrorRecord, HostError, toolFailed } from "../../../shared/errors/host-error.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import type { ReadDocument } from "../documents.ts";
import { READING_LIMITS, type ReadingAnswer, type ReadingLimits, type ReadingRequest } from "./request.ts";

/** Options of the reader. */
export interface DocumentReaderOptions {
  readonly clock: Clock;
  readonly limits?: Partial<ReadingLimits>;
}

/** Documents that are read at a time. */
const CONCURRENCY = 2;

/** Reads documents, each in a thread of its own that is ended with it. */
export class DocumentReader {
  readonly limits: ReadingLimits;
  readonly #clock: Clock;
  readonly #places = new KeyedSemaphore(() => CONCURRENCY);

  constructor({ clock, limits }: DocumentReaderOptions) {
    this.#clock = clock;
    this.limits = { ...READING_LIMITS, ...limits };
  }

  /** @throws HostError `tool_failed` with the reason, as the end of a sentence; `interrupted` when `signal` aborts */
  async read(document: Omit<ReadingRequest, "limits">, signal: AbortSignal): Promise<ReadDocument> {
    const { bytes: most } = this.limits;
    const has = document.bytes.length;
    if (has > most) throw toolFailed(`it has ${megabytes(has)}; at most ${megabytes(most)} are read`);
    const leave = await this.#places.enter("", signal).catch(() => {
      throw stopped();
    });
    try {
      return await this.#read({ ...document, limits: this.limits }, signal);
    } finally {
      leave();
    }
  }

  async #read(request: ReadingRequest, signal: AbortSignal): Promise<ReadDocument> {
    const { timeMs, megabytes: heap } = this.limits;
    const worker = new Worker(
      programFile(import.meta.url, { source: "./worker.ts", built: "kb-reader.js" }),
      {
        name: "document reader",
        workerData: request,
        execArgv: [],
        env: {},
        stdout: true,
        stderr: true,
        resourceLimits: { maxOldGenerationSizeMb: heap },
      },
    );
    const { promise, resolve, reject } = Promise.withResolvers<ReadDocument>();
    worker.on("message", (answer: ReadingAnswer) => {
      if ("error" in answer) reject(fromErrorRecord(answer.error));
      else resolve(answer.read);
    });
    worker.on("error", () => reject(toolFailed(`it takes more than ${heap} MB of memory to read`)));
    worker.on("exit", () => reject(toolFailed("it could not be read")));
    const late = (): void => reject(toolFailed(`it takes longer than ${timeMs / 1000} s to read`));
    const cancel = this.#clock.after(timeMs, late);
    const stop = (): void => reject(stopped());
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await promise;
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
      await worker.terminate();
    }
  }
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

const stopped = (): HostError => new HostError("interrupted", "The reading was stopped.");
