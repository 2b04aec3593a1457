import { OrderedWriter, type WriteText } from "../../jsonrpc/index.ts";

/** Characters that may be on their way before the reading of sessions waits. */
const WINDOW = 256 * 1024;

/** Characters of messages that go out together. */
const BATCH = 32 * 1024;

/**
 * Writer of a connection's messages, in the order in which they are posted. The messages of one tick go out together, as long
 * as they are few: who replays a session posts thousands in one.
 */
export class MessageWriter {
  readonly #writer: OrderedWriter;
  readonly #hide: (json: string) => string;
  #lines: string[] = [];
  #size = 0;

  /** @param hide - takes secrets out of JSON, for messages that did not come from the log */
  constructor(write: WriteText, hide: (json: string) => string) {
    this.#writer = new OrderedWriter(write, WINDOW);
    this.#hide = hide;
  }

  /** @param raw - the message may hold text that the log's redaction has not seen */
  post(message: object, { raw = false } = {}): void {
    const json = JSON.stringify(message);
    if (this.#lines.length === 0) queueMicrotask(() => this.flush());
    const line = `${raw ? this.#hide(json) : json}\n`;
    this.#lines.push(line);
    this.#size += line.length;
    if (this.#size > BATCH) this.flush();
  }

  /** More is on its way than a sender should add to. */
  get crowded(): boolean {
    return this.#writer.crowded;
  }

  /** Waits until the reader has caught up, or is gone. */
  room(): Promise<void> {
    return this.#writer.room();
  }

  /** Waits until everything posted has been taken, or nobody is there to take it. */
  drained(): Promise<void> {
    this.flush();
    return this.#writer.drained();
  }

  /** Lets what was posted go out now, and not at the end of the tick. */
  flush(): void {
    const text = this.#lines.join("");
    this.#lines = [];
    this.#size = 0;
    if (text !== "") void this.#writer.send(text);
  }
}
