/** The newest value of something that goes on; a value that nobody took in time is forgotten. */
export class LatestValue<T> {
  #newest: { readonly value: T } | undefined;
  #changed = Promise.withResolvers<void>();

  set(value: T): void {
    this.#newest = { value };
    this.#changed.resolve();
  }

  /** Yields the newest value again and again, until something is over, however it ends. */
  async *until(over: Promise<unknown>): AsyncGenerator<T, void> {
    const end = over.then(
      () => true,
      () => true,
    );
    for (;;) {
      const isOver = await Promise.race([end, this.#changed.promise.then(() => false)]);
      if (isOver) return;
      this.#changed = Promise.withResolvers<void>();
      const { value } = this.#newest ?? {};
      this.#newest = undefined;
      if (value !== undefined) yield value;
    }
  }
}
