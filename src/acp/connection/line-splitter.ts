import { type Envelope, EnvelopeScanner } from "./envelope-scanner.ts";

/** A line of input, or what is known of one that was too long to be kept. */
export type Line =
  | { readonly type: "line"; readonly bytes: Uint8Array }
  | { readonly type: "too-long"; readonly size: number; readonly envelope: Envelope };

const NEWLINE = 0x0a;

/** Splits bytes at 0x0A and nowhere else. A line over the limit goes by without being held in memory. */
export class LineSplitter {
  readonly #limit: number;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #skipped: EnvelopeScanner | undefined;

  /** @param limit - bytes of the longest line that is kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  *push(chunk: Uint8Array): Generator<Line, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** What came after the last newline, when the input has ended. */
  *end(): Generator<Line, void> {
    if (this.#size > 0) yield this.#take();
  }

  #add(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#skipped === undefined && this.#size > this.#limit) {
      this.#skipped = new EnvelopeScanner();
      for (const kept of this.#pieces) this.#skipped.feed(kept);
      this.#pieces = [];
    }
    if (this.#skipped === undefined) this.#pieces.push(piece);
    else this.#skipped.feed(piece);
  }

  #take(): Line {
    const { envelope } = this.#skipped ?? {};
    const line: Line =
      envelope === undefined
        ? { type: "line", bytes: joined(this.#pieces, this.#size) }
        : { type: "too-long", size: this.#size, envelope };
    this.#pieces = [];
    this.#size = 0;
    this.#skipped = undefined;
    return line;
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
