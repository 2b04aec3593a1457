import { setImmediate } from "node:timers";
import type { Io } from "./io.ts";

/** The lines of a log on stderr. Those of one turn of the event loop are written together: each write stops it for a while. */
export class JoinedLines {
  readonly #stderr: Io["stderr"];
  #waiting = "";

  constructor({ stderr, onExit }: Pick<Io, "stderr" | "onExit">) {
    this.#stderr = stderr;
    onExit(() => this.#flush());
  }

  add(line: string): void {
    if (this.#waiting === "") setImmediate(() => this.#flush());
    this.#waiting += line;
  }

  #flush(): void {
    const text = this.#waiting;
    this.#waiting = "";
    if (text !== "") this.#stderr.write(text);
  }
}
