import type { Clock } from "../../shared/async/clock.ts";
import { EXIT, type Io } from "./io.ts";
import type { ProcessLog } from "./log.ts";

/** Milliseconds beside those of its turns after which a server that was told to stop has ended, whoever does not answer it. */
const LAST_MS = 25_000;

/** The last resort of a server that was told to stop and does not come to its end. Disposing calls it off. */
export class LastResort implements Disposable {
  readonly #io: Pick<Io, "exit">;
  readonly #clock: Clock;
  #cancel: () => void = () => undefined;

  constructor(io: Pick<Io, "exit">, clock: Clock) {
    this.#io = io;
    this.#clock = clock;
  }

  /** Notes that the server was told to stop. @param drainMs - what its turns get of its last time */
  start(drainMs: number, log: Pick<ProcessLog, "announce">): void {
    const ms = drainMs + LAST_MS;
    this.#cancel = this.#clock.after(ms, () => {
      const message = `told to stop ${ms / 1000} s ago, it still waits for its store, or for others, and ends now. What is not stored is left to the next process.`;
      log.announce(message, { event: "server.stuck", level: "error" });
      this.#io.exit(EXIT.failed);
    });
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }
}
