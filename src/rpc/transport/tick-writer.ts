import { setImmediate as startTurn } from "node:timers";
import { WriteRoom } from "./write-room.ts";

/** Takes text; calls back when it is on its way, or never will be. */
type Write = (text: string, taken: () => void) => void;

/**
 * Writes what is sent within one turn of the event loop in one piece: thousands of small messages a second cost few
 * calls of the system. Senders wait while much is on its way.
 */
export class TickWriter {
  readonly #write: Write;
  readonly #room = new WriteRoom();
  #gathered: string[] = [];
  #scheduled = false;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Resolves when there is room for more. */
  send(text: string): Promise<void> {
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
    return this.#room.take(text.length);
  }

  /** Hands over what is gathered and resolves when all of it is on its way. */
  async drained(): Promise<void> {
    this.#flush();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#write("", resolve);
    await promise;
  }

  /** Nothing is written any more: nobody waits. */
  abandon(): void {
    this.#gathered = [];
    this.#room.clear();
  }

  #flush(): void {
    if (this.#gathered.length === 0) return;
    const text = this.#gathered.join("");
    this.#gathered = [];
    this.#write(text, () => this.#room.give(text.length));
  }
}
