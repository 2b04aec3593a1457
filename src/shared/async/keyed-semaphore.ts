interface Waiting {
  readonly key: string;
  readonly admit: () => void;
}

/** A semaphore for each key: admits so many at once, in the order in which they came, and nobody while it is closed. */
export class KeyedSemaphore {
  readonly #most: () => number;
  readonly #inside = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #closed = false;

  /** @param most - how many may be inside for one key */
  constructor(most: () => number) {
    this.#most = most;
  }

  get closed(): boolean {
    return this.#closed;
  }

  set closed(closed: boolean) {
    this.#closed = closed;
    this.#admit();
  }

  /** Waits for a place; the function that it gives leaves it again. Rejects with the signal's reason when that aborts. */
  async enter(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { key, admit: resolve };
    const give = (): void => {
      this.#waiting.delete(waiting);
      reject(signal.reason);
    };
    signal.addEventListener("abort", give, { once: true });
    this.#waiting.add(waiting);
    this.#admit();
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", give);
    }
    return () => this.#leave(key);
  }

  #leave(key: string): void {
    const left = (this.#inside.get(key) ?? 1) - 1;
    if (left > 0) this.#inside.set(key, left);
    else this.#inside.delete(key);
    this.#admit();
  }

  #admit(): void {
    if (this.#closed) return;
    for (const waiting of this.#waiting) {
      const inside = this.#inside.get(waiting.key) ?? 0;
      if (inside >= this.#most()) continue;
      this.#inside.set(waiting.key, inside + 1);
      this.#waiting.delete(waiting);
      waiting.admit();
    }
  }
}
