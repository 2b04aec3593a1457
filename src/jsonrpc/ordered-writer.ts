import { setImmediate as nextTurn } from "node:timers";
import { SendWindow } from "./send-window.ts";

/** Takes text; resolves when there is room for more, rejects when nobody reads any longer. */
export type WriteText = (text: string) => Promise<void>;

/**
 * A writer that keeps the order of what is sent, with one write under way at a time. The first text of a turn of the
 * event loop goes out at once; all that follow in this turn, or while the reader is slow, go out as one write:
 * thousands of small messages cost few calls of the system.
 */
export class OrderedWriter {
  readonly #write: WriteText;
  readonly #window: SendWindow;
  readonly #ended = Promise.withResolvers<void>();
  #gathered: string[] = [];
  #pumping: Promise<void> | undefined;
  #closed = false;

  /** @param limit - characters that may be on their way before senders wait */
  constructor(write: WriteText, limit?: number) {
    this.#write = write;
    this.#window = new SendWindow(limit);
  }

  /** Nobody reads any more: what is sent is dropped. */
  get closed(): boolean {
    return this.#closed;
  }

  /** More is on its way than a sender should add to. */
  get crowded(): boolean {
    return this.#window.full;
  }

  /** Sends a text; resolves when there is room for more, or nobody reads any more. Never rejects. */
  send(text: string): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#gathered.push(text);
    const room = this.#window.take(text.length);
    this.#pumping ??= this.#pump();
    return room;
  }

  /** Resolves when the reader has caught up, or is gone. */
  room(): Promise<void> {
    return this.#window.room();
  }

  /** Resolves when everything that was sent has been taken, or nobody is there to take it. */
  async drained(): Promise<void> {
    while (this.#pumping !== undefined && !this.#closed)
      await Promise.race([this.#pumping, this.#ended.promise]);
  }

  /** Drops what is left: nobody reads any more. */
  close(): void {
    this.#closed = true;
    this.#gathered = [];
    this.#window.close();
    this.#ended.resolve();
  }

  async #pump(): Promise<void> {
    for (let turn: Promise<void> | undefined; this.#gathered.length > 0; await turn) {
      const text = this.#gathered.join("");
      this.#gathered = [];
      try {
        const written = this.#write(text);
        turn = new Promise<void>((resolve) => nextTurn(resolve));
        await written;
      } catch {
        return this.close();
      }
      this.#window.release(text.length);
    }
    this.#pumping = undefined;
  }
}
