/** Wakes everybody who waits for something to have changed. It keeps nothing: look first, then wait. */
export class Bell {
  readonly #ears = new Set<Ear>();

  ring(): void {
    for (const ear of this.#ears) ear.wake();
  }

  /** Resolves at the next ring, or when `signal` aborts; never rejects. */
  async wait(signal?: AbortSignal): Promise<void> {
    using ear = this.listen(signal);
    await ear.wait();
  }

  /** For whoever waits again and again; dispose of it when nobody does any more. */
  listen(signal?: AbortSignal): Ear {
    return new Ear(this.#ears, signal);
  }
}

/**
 * One listener at a bell, who waits once at a time. It is known to the bell and to the signal for as long as it lives:
 * to come and go with every wait costs more than all else that a reader of a stream does.
 */
export class Ear implements Disposable {
  readonly #ears: Set<Ear>;
  readonly #signal: AbortSignal | undefined;
  #wake: (() => void) | undefined;

  constructor(ears: Set<Ear>, signal: AbortSignal | undefined) {
    this.#ears = ears;
    this.#signal = signal;
    ears.add(this);
    signal?.addEventListener("abort", this.wake);
  }

  /** Resolves at the next ring, or when the signal aborts; never rejects. */
  wait(): Promise<void> {
    if (this.#signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  readonly wake = (): void => {
    this.#wake?.();
    this.#wake = undefined;
  };

  [Symbol.dispose](): void {
    this.#ears.delete(this);
    this.#signal?.removeEventListener("abort", this.wake);
    this.wake();
  }
}
