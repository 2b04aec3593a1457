import { randomHex } from "../../../shared/crypto/random-hex.ts";
import type { Signal } from "../../../shared/async/signal.ts";
import type { BoundedOutput } from "../spawn/bounded-output.ts";
import type { Exit, SpawnedChild } from "../spawn/child.ts";

/** What is kept of the output of a command in the background. */
export const KEPT_OUTPUT = { head: 16 * 1024, tail: 256 * 1024 };

type Parts = Pick<BackgroundProcess, "command" | "startedAt" | "output" | "bell" | "child">;

/** A command that goes on while the session does other things. */
export class BackgroundProcess {
  readonly id = `bg_${randomHex(4)}`;
  readonly command: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly output: BoundedOutput;
  /** Rings when there is more output. */
  readonly bell: Signal;
  readonly child: SpawnedChild;
  exit: Exit | undefined;
  /** Up to where the model has read. */
  read = 0;
  /** Calls of the model that see its end: nobody has to tell it. */
  awaited = 0;
  readonly #end = new AbortController();

  constructor({ command, startedAt, output, bell, child }: Parts) {
    this.command = command;
    this.startedAt = startedAt;
    this.output = output;
    this.bell = bell;
    this.child = child;
    void child.exited.then(
      (exit) => this.#over(exit),
      // Its end could not be observed to the last; it is over all the same.
      () => this.#over({ code: null, signal: null, left: 0 }),
    );
  }

  /** Aborted when it has ended. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  #over(exit: Exit): void {
    this.exit = exit;
    this.#end.abort();
  }
}
