import { setImmediate } from "node:timers";
import type { Io } from "./io.ts";

/** The lines of a log on stderr. Those that are added in one turn of the event loop are written together: each write stops it for a while. */
export class JoinedLines {
  readonly #io: Pick<Io, "stderr" | "onExit">;
  #waiting = "";
  #atExit: (() => void) | undefined;

  constructor(io: Pick<Io, "stderr" | "onExit">) {
    this.#io = io;
  }

  /** Writes a line at once, behind those that wait. */
  write(line: string): void {
    this.#waiting += line;
    this.#flush();
  }

  add(line: string): void {
    if (this.#waiting === "") {
      this.#atExit = this.#io.onExit(() => this.#flush());
      setImmediate(() => this.#flush());
    }
    this.#waiting += line;
  }

  #flush(): void {
    const text = this.#waiting;
    this.#waiting = "";
    this.#atExit?.();
    if (text !== "") this.#io.stderr.write(text);
  }
}
