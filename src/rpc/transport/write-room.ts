/** Characters on their way beyond which senders wait. */
const ENOUGH = 64 * 1024;

const NOW: Promise<void> = Promise.resolve();

/** How much is on its way to the other side: whoever sends more waits until there is room again. */
export class WriteRoom {
  #onTheWay = 0;
  #waiting: (() => void)[] = [];

  get empty(): boolean {
    return this.#onTheWay <= 0;
  }

  /** So much goes on its way; resolves when more may follow. */
  take(characters: number): Promise<void> {
    this.#onTheWay += characters;
    if (this.#onTheWay < ENOUGH) return NOW;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** So much has arrived. */
  give(characters: number): void {
    this.#onTheWay -= characters;
    if (this.#onTheWay < ENOUGH) this.#release();
  }

  /** Nothing goes on its way any more: nobody waits. */
  clear(): void {
    this.#onTheWay = 0;
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}
