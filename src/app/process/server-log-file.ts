import type { Io } from "./io.ts";
import { appendLog } from "./log-file.ts";
import { systemClock } from "../../shared/async/clock.ts";

/** The file with what the servers of a home have told. */
export const SERVER_LOG = "server.log";

const PAUSE_MS = 100;
/** Records that are written at once, however short the time. */
const MOST_WAITING = 500;

/**
 * The file of a server's log. Records are written several at a time: a request does not wait for the disk. Those of the last
 * tenth of a second are lost when the process is killed; failures are also in `agent.log`, at once.
 */
export class ServerLogFile {
  readonly #folder: string;
  #waiting: string[] = [];

  constructor(io: Pick<Io, "onExit">, folder: string) {
    this.#folder = folder;
    io.onExit(() => this.#flush());
  }

  add(record: string): void {
    this.#waiting.push(record);
    if (this.#waiting.length >= MOST_WAITING) this.#flush();
    else if (this.#waiting.length === 1) systemClock.after(PAUSE_MS, () => this.#flush());
  }

  #flush(): void {
    const records = this.#waiting;
    if (records.length === 0) return;
    this.#waiting = [];
    try {
      appendLog(this.#folder, SERVER_LOG, records);
    } catch {
      // Stderr has them too; a full disk says so elsewhere.
    }
  }
}
