import { setImmediate as startTurn } from "node:timers";

/** Takes text; calls back when it is on its way, or never will be. */
type Write = (text: string, taken: () => void) => void;

/** Characters on their way beyond which senders wait. */
const ENOUGH = 64 * 1024;

const TAKEN: Promise<void> = Promise.resolve();

/**
 * Writes what is sent within one turn of the event loop in one piece: thousands of small messages a second cost few
 * calls of the system. Senders wait while much is on its way.
 */
export class TickWriter {
  readonly #write: Write;
  #gathered: string[] = [];
  #onTheWay = 0;
  #scheduled = false;
  #waiting: (() => void)[] = [];

  constructor(write: Write) {
    this.#write = write;
  }

  /** Resolves when there is room for more. */
  send(text: string): Promise<void> {
    this.#onTheWay += text.length;
    this.#gathered.push(text);
    if (!this.#scheduled) {
      // The first one does not wait for others.
      this.#flush();
      this.#scheduled = true;
      startTurn(() => {
        this.#scheduled = false;
        this.#flush();
      });
    }
    if (this.#onTheWay < ENOUGH) return TAKEN;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    return promise;
  }

  /** Hands over what is gathered. */
  #flush(): void {
    if (this.#gathered.length === 0) return;
    const text = this.#gathered.join("");
    this.#gathered = [];
    this.#write(text, () => {
      this.#onTheWay -= text.length;
      if (this.#onTheWay < ENOUGH) this.#release();
    });
  }

  /** Hands over what is gathered and resolves when all of it is on its way. */
  async drained(): Promise<void> {
    this.#flush();
    while (this.#onTheWay > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#write("", resolve);
      await promise;
      this.#flush();
    }
  }

  /** Nothing is written any more: nobody waits. */
  abandon(): void {
    this.#gathered = [];
    this.#onTheWay = 0;
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }
}
