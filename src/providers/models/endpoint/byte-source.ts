import type { Readable } from "node:stream";
import type { Clock } from "../../../shared/async/clock.ts";

/** Bytes and milliseconds that may follow an answer's end marker on a connection that is worth keeping. */
const LONGEST_TAIL = 64 * 1024;
const LONGEST_TAIL_MS = 1000;

/** Reader of a body; each read takes all bytes that arrived since the last one. */
export class ByteSource {
  readonly #body: Readable;
  #arrival = Promise.withResolvers<void>();
  readonly #wake = (): void => {
    this.#arrival.resolve();
    this.#arrival = Promise.withResolvers();
  };

  constructor(body: Readable) {
    this.#body = body;
    for (const event of ["readable", "end", "error", "close"]) body.on(event, this.#wake);
  }

  /** The bytes that came next, or `undefined` when the body is over. @throws the connection's error */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { promise } = this.#arrival;
      // Without a number only the first buffer is read; at the end only a bare read says so.
      const bytes: unknown = this.#body.read(this.#body.readableLength || undefined);
      if (bytes instanceof Uint8Array) return bytes;
      if (this.#body.errored !== null) throw this.#body.errored;
      if (this.#body.readableEnded) return undefined;
      if (this.#body.destroyed) throw new Error("The connection was closed early.");
      await promise;
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
    // A stream with a listener for `readable` does not flow.
    body.off("readable", this.#wake);
    body.resume();
  }
}
