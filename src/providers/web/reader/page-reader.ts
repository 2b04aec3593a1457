import { Worker } from "node:worker_threads";
import type { Clock } from "../../../shared/async/clock.ts";
import { KeyedSemaphore } from "../../../shared/async/keyed-semaphore.ts";
import { HostError, toolFailed } from "../../../shared/errors/host-error.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import type { Page, ReaderMessage, PageRequest } from "./page.ts";

/** Options of the page reader. */
export interface PageReaderOptions {
  readonly clock: Clock;
  /** Pages that are read at a time; 2 by default. */
  readonly concurrency?: number;
  /** Milliseconds for one page; 15,000 by default. */
  readonly timeoutMs?: number;
}

const PROGRAM = programFile(import.meta.url, { source: "./worker.ts", built: "web-reader.js" });
/** Megabytes of memory that reading one page may take. */
const HEAP_MB = 384;

/**
 * Reads pages, each in a thread of its own that is ended with it: a hostile one costs its thread at most, for as long
 * as it gets.
 */
export class PageReader {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #places: KeyedSemaphore;

  constructor({ clock, concurrency = 2, timeoutMs = 15_000 }: PageReaderOptions) {
    this.#clock = clock;
    this.#places = new KeyedSemaphore(() => concurrency);
    this.#timeoutMs = timeoutMs;
  }

  /** @throws HostError `tool_failed` with the reason; `interrupted` when `signal` aborts */
  async read(request: PageRequest, signal: AbortSignal): Promise<Page> {
    const leave = await this.#places.enter("", signal).catch(() => {
      throw stopped();
    });
    try {
      return await this.#read(request, signal);
    } finally {
      leave();
    }
  }

  async #read(request: PageRequest, signal: AbortSignal): Promise<Page> {
    const worker = new Worker(PROGRAM, {
      name: "page reader",
      workerData: request,
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    const { promise, resolve, reject } = Promise.withResolvers<Page>();
    let draft: Page | undefined;
    const giveUp = (reason: string): void => {
      if (draft === undefined) reject(toolFailed(reason));
      else resolve(draft);
    };
    worker.on("message", (message: ReaderMessage) => {
      if (message.type === "failed") reject(toolFailed(message.reason));
      else if (message.type === "page") resolve(message.page);
      else draft = message.page;
    });
    worker.on("error", () => giveUp("it takes more memory to read than it gets"));
    worker.on("exit", () => giveUp("it could not be read"));
    const cancel = this.#clock.after(this.#timeoutMs, () =>
      giveUp(`it took longer than ${this.#timeoutMs / 1000} s to read`),
    );
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

const stopped = (): HostError => new HostError("interrupted", "The reading was stopped.");
