import { Signal } from "../../shared/async/signal.ts";

/** Where bytes come from and go to; a surface is handed one and knows nothing of processes. */
export interface AcpTransport {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes text; resolves when there is room for more, rejects when nobody reads any longer. */
  write(text: string): Promise<void>;
}

/** Characters that may wait before whoever has much to say has to wait too. */
const ENOUGH = 256 * 1024;

/**
 * Puts messages on the wire in the order in which they are posted. What is posted in one tick, or while the reader is
 * slow, goes out as one write.
 */
export class Outbox {
  readonly #write: AcpTransport["write"];
  readonly #hide: (json: string) => string;
  readonly #bell = new Signal();
  #lines: string[] = [];
  #size = 0;
  #pumping = false;
  #gone = false;

  /** @param hide - takes secrets out of JSON, for messages that did not come from the log */
  constructor(write: AcpTransport["write"], hide: (json: string) => string) {
    this.#write = write;
    this.#hide = hide;
  }

  /** Nobody reads any more: what is posted is dropped. */
  get gone(): boolean {
    return this.#gone;
  }

  /** @param raw - the message may hold text that the log's redaction has not seen */
  post(message: object, { raw = false } = {}): void {
    if (this.#gone) return;
    const json = JSON.stringify(message);
    const line = `${raw ? this.#hide(json) : json}\n`;
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => void this.#pump());
  }

  /** There is more waiting than a reader should be given at once. */
  get crowded(): boolean {
    return this.#size > ENOUGH && !this.#gone;
  }

  /** Waits until the reader has caught up, or is gone. */
  async room(): Promise<void> {
    while (this.crowded) await this.#bell.wait();
  }

  /** Waits until everything posted has been taken, or nobody is there to take it. */
  async empty(): Promise<void> {
    while (this.#pumping && !this.#gone) await this.#bell.wait();
  }

  async #pump(): Promise<void> {
    while (this.#lines.length > 0) {
      const text = this.#lines.join("");
      this.#lines = [];
      try {
        await this.#write(text);
      } catch {
        // A client that left needs no answers.
        this.#gone = true;
        this.#lines = [];
        this.#size = 0;
        break;
      }
      this.#size -= text.length;
      this.#bell.notify();
    }
    this.#pumping = false;
    this.#bell.notify();
  }
}
