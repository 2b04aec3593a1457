import { Socket } from "node:net";
import { Signal } from "../../../shared/async/signal.ts";
import type { OutputSource } from "./drain.ts";

/** What the system's pipes hold, so one read empties them. */
const SIZE = 64 * 1024;

/**
 * A reader of a pipe that reuses one piece of memory. Without it hundreds of megabytes would wait for the garbage
 * collector. A piece is valid until the next one is requested.
 */
export class PipeReader implements OutputSource {
  readonly #buffer = Buffer.allocUnsafeSlow(SIZE);
  readonly #socket: Socket;
  readonly #bell = new Signal();
  #length = 0;
  #isOver = false;
  #failure: Error | undefined;

  /** @param fd - the end to read from; it is closed with the reader */
  constructor(fd: number) {
    this.#socket = new Socket({
      fd,
      readable: true,
      writable: false,
      onread: {
        buffer: this.#buffer,
        callback: (length) => {
          this.#length = length;
          this.#bell.notify();
          // The next read would go over what has not been taken yet.
          return false;
        },
      },
    });
    this.#socket.on("error", (error) => {
      this.#failure = error;
    });
    this.#socket.on("close", () => {
      this.#isOver = true;
      this.#bell.notify();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      if (this.#length > 0) {
        try {
          yield this.#buffer.subarray(0, this.#length);
        } finally {
          // Who stops after a piece has taken it.
          this.#length = 0;
        }
      } else if (this.#isOver) {
        if (this.#failure !== undefined) throw this.#failure;
        return;
      } else {
        this.#socket.resume();
        await this.#bell.wait();
      }
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }
}
