import { Worker } from "node:worker_threads";
import type { Clock } from "../async/clock.ts";
import { KeyedSemaphore } from "../async/keyed-semaphore.ts";
import { HostError } from "../errors/host-error.ts";

/** How often the memory of a thread is looked at: what is unpacked fast grows by some 50 MB meanwhile. */
const LOOK_MS = 100;

/** The reason for which a thread is given up: its memory, its time, or an end without a word, as when it cannot be started. */
export type GivenUp = "memory" | "late" | "ended";

/** The thread of a reading, and how many there are at a time. */
export interface ReadingThreadsOptions {
  readonly clock: Clock;
  readonly program: URL;
  readonly name: string;
  readonly concurrency: number;
}

/** One reading: its bounds, and what becomes of the thread's messages. */
export interface OneReading<Message, Result> {
  /** What the thread gets. */
  readonly request: unknown;
  readonly heapMegabytes: number;
  readonly timeMs: number;
  readonly signal: AbortSignal;
  readonly hear: (message: Message, outcome: PromiseWithResolvers<Result>) => void;
  readonly giveUp: (why: GivenUp, outcome: PromiseWithResolvers<Result>) => void;
}

/**
 * Threads that read what somebody else wrote, each ended with its reading: a hostile one costs its thread at most, for as
 * long as it gets.
 */
export class ReadingThreads {
  readonly #options: ReadingThreadsOptions;
  readonly #places: KeyedSemaphore;

  constructor(options: ReadingThreadsOptions) {
    this.#options = options;
    this.#places = new KeyedSemaphore(() => options.concurrency);
  }

  /** @throws HostError `interrupted` when `signal` aborts; what `hear` and `giveUp` reject with */
  async read<Message, Result>(reading: OneReading<Message, Result>): Promise<Result> {
    const leave = await this.#places.enter("", reading.signal).catch(() => {
      throw stopped();
    });
    try {
      return await this.#run(reading);
    } finally {
      leave();
    }
  }

  async #run<Message, Result>(reading: OneReading<Message, Result>): Promise<Result> {
    const { clock, program, name } = this.#options;
    const { request, heapMegabytes, timeMs, signal, hear, giveUp } = reading;
    const worker = new Worker(program, {
      name,
      workerData: request,
      execArgv: [],
      env: {},
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    const outcome = Promise.withResolvers<Result>();
    worker.on("message", (message: Message) => hear(message, outcome));
    worker.on("error", (error) => giveUp(isOutOfMemory(error) ? "memory" : "ended", outcome));
    worker.on("exit", () => giveUp("ended", outcome));
    const cancel = clock.after(timeMs, () => giveUp("late", outcome));
    const leave = this.#watch(worker, heapMegabytes, () => giveUp("memory", outcome));
    const stop = (): void => outcome.reject(stopped());
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await outcome.promise;
    } finally {
      cancel();
      leave();
      signal.removeEventListener("abort", stop);
      await worker.terminate();
    }
  }

  /** Buffers are outside of the heap, which bounds itself: what unpacks a few bytes into gigabytes is seen here. */
  #watch(worker: Worker, megabytes: number, tooMuch: () => void): () => void {
    const { clock } = this.#options;
    let isOver = false;
    const look = async (): Promise<void> => {
      // A thread that has just been started, or has ended, tells nothing.
      const found = await worker.getHeapStatistics().catch(() => undefined);
      if (isOver) return;
      if ((found?.external_memory ?? 0) > megabytes * 2 ** 20) return tooMuch();
      cancel = clock.after(LOOK_MS, () => void look());
    };
    let cancel = clock.after(LOOK_MS, () => void look());
    return () => {
      isOver = true;
      cancel();
    };
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";

const stopped = (): HostError => new HostError("interrupted", "The reading was stopped.");
