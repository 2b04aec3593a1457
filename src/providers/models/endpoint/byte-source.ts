import type { Readable } from "node:stream";
import type { Clock } from "../../../shared/async/clock.ts";
import { Signal } from "../../../shared/async/signal.ts";

/** Bytes and milliseconds that may follow an answer's end marker on a connection that is worth keeping. */
const LONGEST_TAIL = 64 * 1024;
const LONGEST_TAIL_MS = 1000;

/** Bytes that may wait for their reader; beyond that the sender has to wait. */
const MOST_WAITING = 64 * 1024;

/** Reader of a body; it takes all bytes that arrived since the last time. */
export class ByteSource {
  readonly #body: Readable;
  #waiting: Uint8Array[] = [];
  #size = 0;
  readonly #came = new Signal();
  readonly #reader = this.#came.listen();
  /** Something has happened to the body that may be its end: to ask it costs more than all else that a piece of text takes here. */
  #mayBeOver = true;

  constructor(body: Readable) {
    this.#body = body;
    body.on("data", this.#add);
    for (const event of ["end", "error", "close"]) {
      body.on(event, () => {
        this.#mayBeOver = true;
        this.#came.notify();
      });
    }
  }

  /** The bytes that have come, in one piece; `undefined` when none have. */
  take(): Uint8Array | undefined {
    const waiting = this.#waiting;
    if (waiting.length === 0) return undefined;
    this.#waiting = [];
    if (this.#size > MOST_WAITING) this.#body.resume();
    this.#size = 0;
    return waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
  }

  /** Nothing can be taken any more. @throws the connection's error */
  get isOver(): boolean {
    if (this.#waiting.length > 0 || !this.#mayBeOver) return false;
    if (this.#body.errored !== null) throw this.#body.errored;
    if (this.#body.readableEnded) return true;
    if (this.#body.destroyed) throw new Error("The connection was closed early.");
    this.#mayBeOver = false;
    return false;
  }

  /**
   * Resolves when there may be something new. Nothing is awaited between a look and this wait.
   *
   * @param handled - called in the event itself; where it says `true` it has dealt with it, and the wait goes on. It never throws
   */
  changed(handled?: () => boolean): Promise<void> {
    return this.#reader.wait(handled);
  }

  /** The bytes that came next, or `undefined` when the body is over. @throws the connection's error */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const bytes = this.take();
      if (bytes !== undefined || this.isOver) return bytes;
      await this.changed();
    }
  }

  /** Reads at most `limit` bytes and gives up the rest. A broken connection ends the reading without an error. */
  async readUpTo(limit: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    try {
      for (let size = 0; size < limit;) {
        const bytes = await this.read();
        if (bytes === undefined) break;
        pieces.push(bytes);
        size += bytes.length;
      }
    } catch {
      // The beginning of a body says enough, also when the connection breaks after it.
    }
    this.#body.destroy();
    return Buffer.concat(pieces).subarray(0, limit);
  }

  /** Reads the rest of an answer, so that its connection can be used again; a long rest is cut. */
  drain(clock: Clock): void {
    const body = this.#body;
    if (body.readableEnded || body.destroyed) return;
    let size = 0;
    const cancel = clock.after(LONGEST_TAIL_MS, () => body.destroy());
    body.on("data", (bytes: Uint8Array) => {
      size += bytes.length;
      if (size > LONGEST_TAIL) body.destroy();
    });
    body.once("close", cancel);
    body.off("data", this.#add);
    body.resume();
  }

  readonly #add = (bytes: Uint8Array): void => {
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    if (this.#size > MOST_WAITING) this.#body.pause();
    this.#came.notify();
  };
}
