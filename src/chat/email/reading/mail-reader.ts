import type { Clock } from "../../../shared/async/clock.ts";
import { HostError, toolFailed } from "../../../shared/errors/host-error.ts";
import { programFile } from "../../../shared/files/program-file.ts";
import { type GivenUp, ReadingThreads } from "../../../shared/threads/reading-threads.ts";
import { type Mail, parseMail } from "./mail.ts";

/** Lines and bytes of a mail that is read here: a thread takes longer to start than they do. */
const FEW_LINES = 2000;
const FEW_BYTES = 64 * 1024;
/** Bounds of a thread: a file of 18 MB takes a second and, with all copies of it, 170 MB. */
const HEAP_MEGABYTES = 256;
const TIME_MS = 60_000;
const CONCURRENCY = 1;
/** Milliseconds until there may be room for a thread again. */
const RETRY_MS = 30_000;

/** The thread's one message; `undefined`: it is no mail. */
export type MailAnswer = { readonly mail: Mail | undefined };

/** The reader of mails. Anybody can send one, so that a large one costs a thread at most. */
export class MailReader {
  readonly #threads: ReadingThreads;

  constructor(clock: Clock) {
    const program = programFile(import.meta.url, { source: "./worker.ts", built: "mail-reader.js" });
    this.#threads = new ReadingThreads({ clock, program, name: "mail reader", concurrency: CONCURRENCY });
  }

  /**
   * Reads a mail; `undefined` for what is none.
   *
   * @throws HostError `tool_failed` for one that takes too much to read, `internal` when no thread could read it, which is
   *   no fault of the mail, `interrupted` when `signal` aborts
   */
  async read(bytes: Uint8Array, signal: AbortSignal): Promise<Mail | undefined> {
    if (bytes.length <= FEW_BYTES && hasFewLines(bytes)) return await parseMail(bytes);
    return await this.#threads.read<MailAnswer, Mail | undefined>({
      request: bytes,
      heapMegabytes: HEAP_MEGABYTES,
      timeMs: TIME_MS,
      signal,
      hear: ({ mail }, { resolve }) => resolve(mail),
      giveUp: (why, { reject }) => reject(givenUp(why)),
    });
  }
}

function givenUp(why: GivenUp): HostError {
  if (why === "ended")
    return new HostError("internal", "the thread that reads mails ended without a word", {
      // Whoever tries again gets the mail from its server again.
      details: { retryAfterMs: RETRY_MS },
    });
  const limit = why === "memory" ? `${HEAP_MEGABYTES} MB of memory` : `${TIME_MS / 1000} s`;
  return toolFailed(`it takes more than ${limit} to read`);
}

function hasFewLines(bytes: Uint8Array): boolean {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) {
    lines += 1;
    if (lines > FEW_LINES) return false;
  }
  return true;
}

const LINE_FEED = 10;
