import { type InputLine, LineSplitter } from "../../jsonrpc/index.ts";

/** The ways in which messages follow each other: a line each, or with a header that tells their length. */
export type Framing = "lines" | "headers";

/** Bytes that the headers of a message may have. */
const LONGEST_HEADER = 8 * 1024;

const BLANK = new Set([0x20, 0x09, 0x0d, 0x0a]);
/** `Content-Length` begins with it, and no JSON does. */
const HEADER_STARTS = new Set([0x43, 0x63]);

/**
 * A splitter of a byte stream into messages. The first byte that is no blank decides how: `C` begins the headers of the
 * base protocol of language servers, anything else a line.
 */
export class FrameReader {
  readonly #largest: number;
  readonly #lines: LineSplitter;
  #framing: Framing | undefined;
  #parts: Uint8Array[] = [];
  /** Bytes of the message, or of the header, that have come so far. */
  #size = 0;
  /** Bytes that the message will have; `undefined` while its header comes. */
  #awaited: number | undefined;

  /** @param largest - bytes that a message may have */
  constructor(largest: number) {
    this.#largest = largest;
    this.#lines = new LineSplitter(largest);
  }

  /** The framing of the other side; `undefined` before its first byte. */
  get framing(): Framing | undefined {
    return this.#framing;
  }

  /** The messages that a chunk completes; those that are too large go by without being kept. */
  *push(chunk: Uint8Array): Generator<InputLine, void> {
    let rest = chunk;
    if (this.#framing === undefined) {
      const begin = chunk.findIndex((byte) => !BLANK.has(byte));
      const first = chunk[begin];
      if (first === undefined) return;
      rest = chunk.subarray(begin);
      this.#framing = HEADER_STARTS.has(first) ? "headers" : "lines";
    }
    if (this.#framing === "lines") return yield* this.#lines.push(rest);
    while (rest.length > 0)
      rest = yield* this.#awaited === undefined ? this.#header(rest) : this.#body(rest, this.#awaited);
  }

  /** The last message, once the stream is over: a line may lack its end. */
  end(): Generator<InputLine, void> {
    return this.#lines.end();
  }

  *#header(chunk: Uint8Array): Generator<InputLine, Uint8Array> {
    const before = this.#size;
    const head = Buffer.concat([...this.#parts, chunk]);
    const end = headerEnd(head);
    if (end === undefined) {
      this.#parts = [head];
      this.#size = head.length;
      // No header of a message is so long.
      if (head.length > LONGEST_HEADER) yield this.#take();
      return EMPTY;
    }
    this.#parts = [];
    this.#size = 0;
    const text = head.toString("latin1", 0, end.at);
    const length = /^content-length[ \t]*:[ \t]*(\d{1,15})[ \t]*$/im.exec(text)?.[1];
    // Headers without a length are no message: they are answered like one that is no JSON.
    if (length === undefined) yield { type: "line", text };
    else if (length !== "0") this.#awaited = Number(length);
    return chunk.subarray(end.at + end.size - before);
  }

  *#body(chunk: Uint8Array, length: number): Generator<InputLine, Uint8Array> {
    const missing = length - this.#size;
    const part = chunk.subarray(0, missing);
    this.#size += part.length;
    if (this.#size <= this.#largest) this.#parts.push(part);
    else this.#parts = [];
    if (chunk.length < missing) return EMPTY;
    this.#awaited = undefined;
    yield this.#take();
    return chunk.subarray(missing);
  }

  #take(): InputLine {
    const [size, parts] = [this.#size, this.#parts];
    this.#parts = [];
    this.#size = 0;
    return size > this.#largest
      ? { type: "too-long", size, envelope: { hasMethod: false } }
      : { type: "line", text: Buffer.concat(parts).toString("utf8") };
  }
}

const EMPTY = new Uint8Array(0);

/** Finds the end of a block of headers, and the bytes that this end has. */
function headerEnd(bytes: Buffer): { readonly at: number; readonly size: number } | undefined {
  const strict = bytes.indexOf("\r\n\r\n", 0, "latin1");
  const loose = bytes.indexOf("\n\n", 0, "latin1");
  if (strict >= 0 && (loose < 0 || strict < loose)) return { at: strict, size: 4 };
  return loose < 0 ? undefined : { at: loose, size: 2 };
}
