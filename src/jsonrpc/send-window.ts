const NOW: Promise<void> = Promise.resolve();

/** A limit on the characters that are on their way to the other side: beyond it senders wait. */
export class SendWindow {
  readonly #limit: number;
  #unsent = 0;
  #waiting: (() => void)[] = [];

  /** @param limit - characters; one message may pass it */
  constructor(limit = 64 * 1024) {
    this.#limit = limit;
  }

  /** More is on its way than a sender should add to. */
  get full(): boolean {
    return this.#unsent >= this.#limit;
  }

  /** Counts characters that go on their way; resolves when more may follow. */
  take(characters: number): Promise<void> {
    this.#unsent += characters;
    return this.room();
  }

  /** Counts characters that have been taken by the other side. */
  release(characters: number): void {
    this.#unsent -= characters;
    if (!this.full) this.#wake();
  }

  /** Resolves when there is room. */
  room(): Promise<void> {
    // Most messages need not wait, and a promise for each would cost.
    return this.full ? this.#untilRoom() : NOW;
  }

  /** Lets everybody go who waits: nothing is sent any more. */
  close(): void {
    this.#unsent = Number.NEGATIVE_INFINITY;
    this.#wake();
  }

  async #untilRoom(): Promise<void> {
    while (this.full) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
