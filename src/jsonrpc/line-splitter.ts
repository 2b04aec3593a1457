import { type Envelope, EnvelopeScanner } from "./envelope-scanner.ts";

/** A line of input, or the facts about one that was too long to be kept. */
export type InputLine =
  | { readonly type: "line"; readonly text: string }
  /** `envelope` is empty unless the splitter was told to scan. */
  | { readonly type: "too-long"; readonly size: number; readonly envelope: Envelope };

const NEWLINE = 0x0a;
const NOTHING_KNOWN: Envelope = { hasMethod: false };
/** Drops a byte order mark at the beginning of a line. */
const UTF8 = new TextDecoder();

/**
 * A splitter of bytes into lines: at the byte 0x0A and nowhere else. A line over the limit goes by without being held
 * in memory. A carriage return stays at the end of its line, where JSON takes it for a blank.
 */
export class LineSplitter {
  readonly #limit: number;
  readonly #scan: boolean;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #skipped: EnvelopeScanner | undefined;

  /**
   * @param limit - bytes of the longest line that is kept
   * @param scan - looks for the envelope of a line that is too long; it costs a look at each of its bytes
   */
  constructor(limit: number, { scan = false }: { readonly scan?: boolean } = {}) {
    this.#limit = limit;
    this.#scan = scan;
  }

  /** The line that is coming is too long already. */
  get overlong(): boolean {
    return this.#size > this.#limit;
  }

  /** The lines that a chunk completes. */
  *push(chunk: Uint8Array): Generator<InputLine, void> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      yield this.#take();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The text after the last newline, once the input has ended. */
  *end(): Generator<InputLine, void> {
    if (this.#size > 0) yield this.#take();
  }

  #add(piece: Uint8Array): void {
    this.#size += piece.length;
    if (!this.overlong) {
      this.#pieces.push(piece);
      return;
    }
    if (this.#scan) {
      this.#skipped ??= new EnvelopeScanner();
      for (const kept of this.#pieces) this.#skipped.feed(kept);
      this.#skipped.feed(piece);
    }
    this.#pieces = [];
  }

  #take(): InputLine {
    const line: InputLine = this.overlong
      ? { type: "too-long", size: this.#size, envelope: this.#skipped?.envelope ?? NOTHING_KNOWN }
      : { type: "line", text: UTF8.decode(joined(this.#pieces)) };
    this.#pieces = [];
    this.#size = 0;
    this.#skipped = undefined;
    return line;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces);
}
