import type { ModelMessage } from "../../../core/index.ts";
import { ByteChunks } from "./byte-chunks.ts";

interface Entry {
  readonly message: ModelMessage;
  /** The end of its text in the bytes; a message whose text is not kept ends where it begins. */
  readonly end: number;
  readonly kept: boolean;
}

/**
 * The messages of one conversation as the bytes that requests carry. The next request of a session has the same
 * messages and some more, so that its bytes are these and a few more.
 */
export class ConversationBytes {
  readonly #entries: Entry[];
  readonly #bytes: ByteChunks;

  constructor(entries: readonly Entry[] = [], bytes: ByteChunks = new ByteChunks()) {
    this.#entries = [...entries];
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** How many of these messages it begins with. A message is known by its object, which never changes. */
  common(messages: readonly ModelMessage[]): number {
    const most = Math.min(messages.length, this.#entries.length);
    let count = 0;
    while (count < most && this.#entries[count]?.message === messages[count]) count += 1;
    return count;
  }

  /** The places, before another one, of messages whose text is not kept. */
  unkept(before: number): readonly number[] {
    const places: number[] = [];
    for (let place = 0; place < before; place += 1)
      if (this.#entries[place]?.kept === false) places.push(place);
    return places;
  }

  /** Adds a message; without a text, each request brings that of its own. */
  add(message: ModelMessage, text: string | undefined): void {
    if (text !== undefined) this.#bytes.append(text);
    this.#entries.push({ message, end: this.#bytes.size, kept: text !== undefined });
  }

  /** Gives its first messages as bytes that can grow another way. */
  first(count: number): ConversationBytes {
    const shared = new ByteChunks(this.#bytes.between(0, this.#endOf(count)));
    return new ConversationBytes(this.#entries.slice(0, count), shared);
  }

  /**
   * The bytes of its first messages.
   *
   * @param inserts - texts behind some of them, by their places in rising order
   */
  pieces(count: number, inserts: Iterable<readonly [place: number, text: string]>): readonly Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (const [place, text] of inserts) {
      const to = this.#endOf(place + 1);
      pieces.push(...this.#bytes.between(from, to), Buffer.from(text));
      from = to;
    }
    pieces.push(...this.#bytes.between(from, this.#endOf(count)));
    return pieces;
  }

  #endOf(count: number): number {
    return this.#entries[count - 1]?.end ?? 0;
  }
}
