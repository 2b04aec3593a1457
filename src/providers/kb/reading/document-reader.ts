import type { Clock } from "../../../shared/async/clock.ts";
import { fromErrorRecord, toolFailed } from "../../../shared/errors/host-error.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import { type GivenUp, ReadingThreads } from "../../../shared/threads/reading-threads.ts";
import type { ReadDocument } from "../documents.ts";
import { READING_LIMITS, type ReadingAnswer, type ReadingLimits, type ReadingRequest } from "./request.ts";

/** Options of the reader. */
export interface DocumentReaderOptions {
  readonly clock: Clock;
  readonly limits?: Partial<ReadingLimits>;
}

/** Documents that are read at a time. */
const CONCURRENCY = 2;

/** The reader of documents, each in a thread of its own. */
export class DocumentReader {
  readonly limits: ReadingLimits;
  readonly #threads: ReadingThreads;

  constructor({ clock, limits }: DocumentReaderOptions) {
    const program = programFile(import.meta.url, { source: "./worker.ts", built: "kb-reader.js" });
    this.limits = { ...READING_LIMITS, ...limits };
    this.#threads = new ReadingThreads({ clock, program, name: "document reader", concurrency: CONCURRENCY });
  }

  /** @throws HostError `tool_failed` with the reason, as the end of a sentence; `interrupted` when `signal` aborts */
  async read(document: Omit<ReadingRequest, "limits">, signal: AbortSignal): Promise<ReadDocument> {
    const { bytes: most, megabytes: heap, timeMs } = this.limits;
    const has = document.bytes.length;
    if (has > most) throw toolFailed(`it has ${megabytes(has)}; at most ${megabytes(most)} are read`);
    const reasons: Readonly<Record<GivenUp, string>> = {
      memory: `it takes more than ${heap} MB of memory to read`,
      late: `it takes longer than ${timeMs / 1000} s to read`,
      ended: "it could not be read",
    };
    return await this.#threads.read<ReadingAnswer, ReadDocument>({
      request: { ...document, limits: this.limits } satisfies ReadingRequest,
      heapMegabytes: heap,
      timeMs,
      signal,
      hear(answer, { resolve, reject }) {
        if ("error" in answer) reject(fromErrorRecord(answer.error));
        else resolve(answer.read);
      },
      giveUp: (why, { reject }) => reject(toolFailed(reasons[why])),
    });
  }
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
