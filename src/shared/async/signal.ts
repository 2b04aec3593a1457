/** A signal that wakes everybody who waits for a change. It remembers nothing: look first, then wait. */
export class Signal {
  readonly #listeners = new Set<Listener>();

  notify(): void {
    for (const listener of this.#listeners) listener.ring();
  }

  /** Resolves at the next ring, or when `signal` aborts; never rejects. */
  async wait(signal?: AbortSignal): Promise<void> {
    using listener = this.listen(signal);
    await listener.wait();
  }

  /** Makes a listener, to wait again and again with; dispose of it in the end. */
  listen(signal?: AbortSignal): Listener {
    return new Listener(this.#listeners, signal);
  }
}

/**
 * One listener to a signal, who waits once at a time. It is known to both signals for as long as it lives:
 * to come and go with every wait costs more than all else that a reader of a stream does.
 */
export class Listener implements Disposable {
  readonly #listeners: Set<Listener>;
  readonly #signal: AbortSignal | undefined;
  #wake: (() => void) | undefined;
  #handled: (() => boolean) | undefined;

  constructor(listeners: Set<Listener>, signal: AbortSignal | undefined) {
    this.#listeners = listeners;
    this.#signal = signal;
    listeners.add(this);
    signal?.addEventListener("abort", this.wake);
  }

  /**
   * Resolves at the next ring, or when the signal aborts; never rejects.
   *
   * @param handled - called in each ring; where it says `true` it has dealt with it, and the wait goes on. It never throws
   */
  wait(handled?: () => boolean): Promise<void> {
    if (this.#signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#handled = handled;
    });
  }

  /** Wakes who waits, unless that was dealt with. */
  ring(): void {
    if (this.#wake !== undefined && this.#handled?.() !== true) this.wake();
  }

  readonly wake = (): void => {
    this.#wake?.();
    this.#wake = undefined;
  };

  [Symbol.dispose](): void {
    this.#listeners.delete(this);
    this.#signal?.removeEventListener("abort", this.wake);
    this.wake();
  }
}
