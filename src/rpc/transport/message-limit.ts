import { Transform, type TransformCallback } from "node:stream";

/** Bytes that the headers of a message may have. */
const LONGEST_HEADER = 8 * 1024;
/** Messages that may have passed and not be taken yet, before the stream waits. */
const MOST_WAITING = 64;

/** The limit of a stream of messages with headers, and where refused ones are reported. */
export interface MessageLimitOptions {
  /** Bytes that a message may have. */
  readonly largest: number;
  readonly tooLarge: (bytes: number) => void;
  /** Headers that name no length: no message follows them. */
  readonly invalid: (headers: string) => void;
}

/**
 * A stream of messages with `Content-Length` headers that lets through only those that are small enough. Their bodies go
 * on as they are, each behind a header that says nothing but the length; all others are skipped without being kept. The
 * stream ends when all that went through has been taken.
 */
export class MessageLimit extends Transform {
  readonly #options: MessageLimitOptions;
  /** The beginning of a header whose end has not come yet. */
  #head: Buffer = EMPTY;
  /** Bytes of the message that are still to come. */
  #missing = 0;
  #skips = false;
  #waiting = 0;
  #held: { readonly go: TransformCallback; readonly most: number } | undefined;

  constructor(options: MessageLimitOptions) {
    super();
    this.#options = options;
  }

  /** Notes that the reader has taken a message. */
  taken(): void {
    this.#waiting -= 1;
    const held = this.#held;
    if (held === undefined || this.#waiting > held.most) return;
    this.#held = undefined;
    held.go();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#missing > 0 ? this.#body(rest) : this.#header(rest);
    this.#goOn(done, MOST_WAITING);
  }

  override _flush(done: TransformCallback): void {
    this.#goOn(done, 0);
  }

  /** Goes on once no more than so many messages wait to be taken. */
  #goOn(go: TransformCallback, most: number): void {
    if (this.#waiting > most) this.#held = { go, most };
    else go();
  }

  #header(chunk: Buffer): Buffer {
    const before = this.#head.length;
    const head = Buffer.concat([this.#head, chunk]);
    const end = END_OF_HEADERS.exec(head.toString("latin1", 0, LONGEST_HEADER));
    if (end === null) {
      this.#head = head;
      if (head.length <= LONGEST_HEADER) return EMPTY;
      this.#head = EMPTY;
      this.#options.invalid(head.toString("latin1", 0, LONGEST_HEADER));
      return EMPTY;
    }
    this.#head = EMPTY;
    this.#begin(head.toString("latin1", 0, end.index));
    return chunk.subarray(end.index + end[0].length - before);
  }

  #begin(headers: string): void {
    const length = /^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$/im.exec(headers)?.[1];
    if (length === undefined) return this.#options.invalid(headers);
    this.#missing = Number(length);
    this.#skips = this.#missing > this.#options.largest;
    if (this.#skips) this.#options.tooLarge(this.#missing);
    else if (this.#missing > 0) this.push(`Content-Length: ${this.#missing}\r\n\r\n`, "latin1");
  }

  #body(chunk: Buffer): Buffer {
    const part = chunk.subarray(0, this.#missing);
    this.#missing -= part.length;
    if (!this.#skips) {
      this.push(part);
      if (this.#missing === 0) this.#waiting += 1;
    }
    return chunk.subarray(part.length);
  }
}

const EMPTY = Buffer.alloc(0);
/** Some programs end their lines without a carriage return. */
const END_OF_HEADERS = /\r?\n\r?\n/;
