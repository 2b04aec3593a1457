import { setImmediate as startTurn } from "node:timers";
import { type Clock, sleep } from "../../../shared/async/clock.ts";

/** A source of a child's output. */
export interface OutputSource extends AsyncIterable<Uint8Array> {
  destroy(): void;
}

/**
 * A receiver of a child's output. The child is not read while the promise is open, and the chunk's memory is reused
 * afterwards.
 */
export type OutputSink = (chunk: Uint8Array) => void | Promise<void>;

/** Milliseconds of silence after which a pipe that somebody still holds counts as read. */
const QUIET = 100;
/** Milliseconds after which it counts as read in any case. */
const LIMIT = 1000;

/** A transfer of a child's output to a sink, until the output ends or the transfer is stopped. */
export class OutputPump {
  /** Settles when nothing more will reach the sink; rejects when the sink did. */
  readonly ended: Promise<void>;
  readonly #readable: OutputSource;
  #chunks = 0;
  #busy = false;
  #stopped = false;
  #over = false;

  constructor(readable: OutputSource, sink: OutputSink) {
    this.#readable = readable;
    this.ended = this.#run(sink);
    // Whoever waits for the child learns of it; until then it is not unhandled.
    this.ended.catch(() => undefined);
  }

  /**
   * Waits for the end of the output, but not for ever: a grandchild may keep the pipe open. Call it when the child
   * itself is over.
   */
  async drain(clock: Clock): Promise<void> {
    const start = clock.monotonic();
    while (!this.#over) {
      const before = this.#chunks;
      const pause = new AbortController();
      await Promise.race([this.ended, sleep(clock, QUIET, pause.signal)]);
      pause.abort();
      // What lies in the pipe is read in the next turns of the event loop, also when that was held up.
      await turn();
      await turn();
      const quiet = before === this.#chunks && !this.#busy;
      if (quiet || clock.monotonic() - start >= LIMIT) this.#stop();
    }
    await this.ended;
  }

  #stop(): void {
    this.#stopped = true;
    this.#over = true;
    this.#readable.destroy();
  }

  async #run(sink: OutputSink): Promise<void> {
    try {
      for await (const chunk of this.#readable) {
        this.#chunks += 1;
        this.#busy = true;
        await sink(chunk);
        this.#busy = false;
      }
    } catch (error) {
      // Being stopped ends the loop with an error as well.
      if (!this.#stopped) throw error;
    } finally {
      this.#over = true;
      this.#readable.destroy();
    }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => startTurn(resolve));
}
