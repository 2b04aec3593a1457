/** Milliseconds after the last reading for which the memory is kept. */
const KEPT_MS = 1_000;

/** Memory that one file after the other is read into: the system takes longer to give fresh memory than to fill it. */
export class ReadBuffer {
  readonly #size: number;
  #bytes: Buffer<ArrayBuffer> | undefined;
  #release: NodeJS.Timeout | undefined;

  /** @param size - bytes that nearly everything fits into; those that are not used take no memory */
  constructor(size: number) {
    this.#size = size;
  }

  /** Gives so many bytes. They are the caller's until the next ones are asked for, or the event loop goes on. */
  readonly take = (length: number): Buffer<ArrayBuffer> => {
    if (this.#bytes === undefined || this.#bytes.length < length)
      this.#bytes = Buffer.allocUnsafeSlow(Math.max(length, this.#size));
    // When garbage is collected, nobody knows.
    this.#release ??= setTimeout(() => this.#giveBack(), KEPT_MS).unref();
    this.#release.refresh();
    return this.#bytes.subarray(0, length);
  };

  #giveBack(): void {
    this.#bytes?.buffer.transfer(0);
    this.#bytes = undefined;
    this.#release = undefined;
  }
}
