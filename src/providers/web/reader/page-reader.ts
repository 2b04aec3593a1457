import type { Clock } from "../../../shared/async/clock.ts";
import { toolFailed } from "../../../shared/errors/host-error.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import { type GivenUp, ReadingThreads } from "../../../shared/threads/reading-threads.ts";
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

/** The reader of pages, each in a thread of its own. */
export class PageReader {
  readonly #timeoutMs: number;
  readonly #threads: ReadingThreads;

  constructor({ clock, concurrency = 2, timeoutMs = 15_000 }: PageReaderOptions) {
    this.#threads = new ReadingThreads({ clock, program: PROGRAM, name: "page reader", concurrency });
    this.#timeoutMs = timeoutMs;
  }

  /** @throws HostError `tool_failed` with the reason; `interrupted` when `signal` aborts */
  async read(request: PageRequest, signal: AbortSignal): Promise<Page> {
    const reasons: Readonly<Record<GivenUp, string>> = {
      memory: "it takes more memory to read than it gets",
      late: `it took longer than ${this.#timeoutMs / 1000} s to read`,
      ended: "it could not be read",
    };
    let draft: Page | undefined;
    return await this.#threads.read<ReaderMessage, Page>({
      request,
      heapMegabytes: HEAP_MB,
      timeMs: this.#timeoutMs,
      signal,
      hear(message, { resolve, reject }) {
        if (message.type === "failed") reject(toolFailed(message.reason));
        else if (message.type === "page") resolve(message.page);
        else draft = message.page;
      },
      giveUp(why, { resolve, reject }) {
        if (draft === undefined) reject(toolFailed(reasons[why]));
        else resolve(draft);
      },
    });
  }
}
