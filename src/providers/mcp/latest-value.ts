/** The newest word on something that is going on; what nobody took in time is forgotten. */
export class LatestValue<Word> {
  #newest: { readonly word: Word } | undefined;
  #bell = Promise.withResolvers<void>();

  tell(word: Word): void {
    this.#newest = { word };
    this.#bell.resolve();
  }

  /** Gives the newest word again and again, until something is over, however it ends. */
  async *until(over: Promise<unknown>): AsyncGenerator<Word, void> {
    const end = over.then(
      () => true,
      () => true,
    );
    for (;;) {
      const isOver = await Promise.race([end, this.#bell.promise.then(() => false)]);
      if (isOver) return;
      this.#bell = Promise.withResolvers<void>();
      const { word } = this.#newest ?? {};
      this.#newest = undefined;
      if (word !== undefined) yield word;
    }
  }
}
