/** Wakes everybody who waits for something to have changed. It keeps nothing: look first, then wait. */
export class Bell {
  #sleepers = new Set<() => void>();

  ring(): void {
    const sleepers = this.#sleepers;
    if (sleepers.size === 0) return;
    this.#sleepers = new Set();
    for (const wake of sleepers) wake();
  }

  /** Resolves at the next ring, or when `signal` aborts; never rejects. */
  wait(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    if (signal === undefined) {
      this.#sleepers.add(resolve);
      return promise;
    }
    const wake = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      this.#sleepers.delete(wake);
      resolve();
    };
    this.#sleepers.add(wake);
    signal.addEventListener("abort", leave, { once: true });
    return promise;
  }
}
