import { setImmediate } from "node:timers";
import type { Io } from "./io.ts";

/** The lines of a log on stderr. Those of one turn of the event loop are written together: each write stops it for a while. */
export class JoinedLines {
  readonly #io: Pick<Io, "stderr" | "onExit">;
  #waiting = "";
  #atExit: (() => void) | undefined;

  constructor(io: Pick<Io, "stderr" | "onExit">) {
    this.#io = io;
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
