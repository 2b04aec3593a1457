/** How messages follow each other: a line each, or with a header that tells their length. */
export type Framing = "lines" | "headers";

/** Where the messages of a byte stream go. */
export interface FrameSink {
  message(text: string): void;
  /** A message was too large; it was skipped without being kept. */
  tooLarge(bytes: number): void;
}

/** Bytes that the headers of a message may have. */
const LONGEST_HEADER = 8 * 1024;

const NEWLINE = 0x0a;
const BLANK = new Set([0x20, 0x09, 0x0d, NEWLINE]);
/** `Content-Length` begins with it, and no JSON does. */
const HEADER_STARTS = new Set([0x43, 0x63]);

/**
 * Splits a byte stream into messages. The first byte that is no blank decides how: `C` begins the headers of the base
 * protocol of language servers, anything else a line. Lines end at the byte 0x0A and nowhere else.
 */
export class FrameReader {
  readonly #sink: FrameSink;
  readonly #largest: number;
  #framing: Framing | undefined;
  #parts: Uint8Array[] = [];
  /** Bytes of the message, or of the header, that have come so far. */
  #size = 0;
  /** Bytes that the message will have; `undefined` while its header comes. */
  #awaited: number | undefined;

  /** @param largest - bytes that a message may have */
  constructor(sink: FrameSink, largest: number) {
    this.#sink = sink;
    this.#largest = largest;
  }

  /** How the other side frames; `undefined` before its first byte. */
  get framing(): Framing | undefined {
    return this.#framing;
  }

  push(chunk: Uint8Array): void {
    let rest = chunk;
    if (this.#framing === undefined) {
      const begin = chunk.findIndex((byte) => !BLANK.has(byte));
      const first = chunk[begin];
      if (first === undefined) return;
      rest = chunk.subarray(begin);
      this.#framing = HEADER_STARTS.has(first) ? "headers" : "lines";
    }
    while (rest.length > 0) {
      if (this.#framing === "lines") rest = this.#line(rest);
      else rest = this.#awaited === undefined ? this.#header(rest) : this.#body(rest, this.#awaited);
    }
  }

  /** The stream is over; a last line may lack its end. */
  end(): void {
    if (this.#framing === "lines" && this.#size > 0) this.#deliver();
  }

  #line(chunk: Uint8Array): Uint8Array {
    const end = chunk.indexOf(NEWLINE);
    if (end < 0) {
      this.#keep(chunk);
      return EMPTY;
    }
    this.#keep(chunk.subarray(0, end));
    this.#deliver();
    return chunk.subarray(end + 1);
  }

  #header(chunk: Uint8Array): Uint8Array {
    const before = this.#size;
    const head = Buffer.concat([...this.#parts, chunk]);
    const end = headerEnd(head);
    if (end === undefined) {
      this.#parts = [head];
      this.#size = head.length;
      // Whatever this is, no header of a message is so long.
      if (head.length > LONGEST_HEADER) this.#deliver();
      return EMPTY;
    }
    this.#parts = [];
    this.#size = 0;
    const text = head.toString("latin1", 0, end.at);
    const length = /^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$/im.exec(text)?.[1];
    // Headers without a length are no message: they are answered like one that is no JSON.
    if (length === undefined) this.#sink.message(text.trim() === "" ? "" : text);
    else if (length === "0") this.#sink.message("");
    else this.#awaited = Number(length);
    return chunk.subarray(end.at + end.size - before);
  }

  #body(chunk: Uint8Array, length: number): Uint8Array {
    const missing = length - this.#size;
    this.#keep(chunk.subarray(0, missing));
    if (chunk.length < missing) return EMPTY;
    this.#awaited = undefined;
    this.#deliver();
    return chunk.subarray(missing);
  }

  #keep(bytes: Uint8Array): void {
    this.#size += bytes.length;
    if (this.#size <= this.#largest) this.#parts.push(bytes);
    else this.#parts = [];
  }

  #deliver(): void {
    const size = this.#size;
    const parts = this.#parts;
    this.#parts = [];
    this.#size = 0;
    if (size > this.#largest) this.#sink.tooLarge(size);
    else this.#sink.message(Buffer.concat(parts).toString("utf8"));
  }
}

const EMPTY = new Uint8Array(0);

/** Where a block of headers ends, and how many bytes its end has. */
function headerEnd(bytes: Buffer): { readonly at: number; readonly size: number } | undefined {
  const strict = bytes.indexOf("\r\n\r\n", 0, "latin1");
  const loose = bytes.indexOf("\n\n", 0, "latin1");
  if (strict >= 0 && (loose < 0 || strict < loose)) return { at: strict, size: 4 };
  return loose < 0 ? undefined : { at: loose, size: 2 };
}
