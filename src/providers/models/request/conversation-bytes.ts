import type { ModelMessage } from "../../../core/index.ts";
import { ByteChunks } from "./byte-chunks.ts";

/**
 * The messages of one conversation as the bytes that requests carry. The next request of a session has the same
 * messages and some more, so that its bytes are these and a few more.
 */
export class ConversationBytes {
  readonly #messages: ModelMessage[];
  /** The end of each message's text in the bytes; a message whose text is not kept ends where it begins. */
  readonly #ends: number[];
  /** The places of messages whose text is not kept, in rising order. */
  readonly #unkept: number[];
  readonly #bytes: ByteChunks;

  constructor(
    messages: readonly ModelMessage[] = [],
    { ends, unkept, bytes }: TextPlaces = { ends: [], unkept: [], bytes: new ByteChunks() },
  ) {
    this.#messages = [...messages];
    this.#ends = [...ends];
    this.#unkept = [...unkept];
    this.#bytes = bytes;
  }

  get length(): number {
    return this.#messages.length;
  }

  /** How many of these messages it begins with. A message is known by its object, which never changes. */
  common(messages: readonly ModelMessage[]): number {
    const known = this.#messages;
    const most = Math.min(messages.length, known.length);
    let count = 0;
    while (count < most && known[count] === messages[count]) count += 1;
    return count;
  }

  /** The places, before another one, of messages whose text is not kept. */
  unkept(before: number): readonly number[] {
    return this.#unkept.filter((place) => place < before);
  }

  /** Adds a message; without a text, each request brings that of its own. */
  add(message: ModelMessage, text: string | undefined): void {
    if (text === undefined) this.#unkept.push(this.#messages.length);
    else this.#bytes.append(text);
    this.#messages.push(message);
    this.#ends.push(this.#bytes.size);
  }

  /** Gives its first messages as bytes that can grow another way. */
  first(count: number): ConversationBytes {
    return new ConversationBytes(this.#messages.slice(0, count), {
      ends: this.#ends.slice(0, count),
      unkept: this.unkept(count),
      bytes: new ByteChunks(this.#bytes.between(0, this.#endOf(count))),
    });
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
    return this.#ends[count - 1] ?? 0;
  }
}

/** The text of the messages, and where each one's is. */
interface TextPlaces {
  readonly ends: readonly number[];
  readonly unkept: readonly number[];
  readonly bytes: ByteChunks;
}
