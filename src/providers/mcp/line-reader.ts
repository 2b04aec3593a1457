import { LARGEST_SERVER_MESSAGE } from "./flow-guard.ts";

const NEWLINE = 0x0a;

/** Cuts bytes into lines, whose length is bounded. */
export class LineReader {
  #parts: Uint8Array[] = [];
  #size = 0;

  /** The lines that a chunk completes, without their ends; `undefined` for one that is too long. */
  take(chunk: Uint8Array): readonly (string | undefined)[] {
    const lines: (string | undefined)[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      lines.push(this.#line());
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
    return lines;
  }

  /** What came since the last line is longer than a message may be. */
  get overlong(): boolean {
    return this.#size > LARGEST_SERVER_MESSAGE;
  }

  #keep(part: Uint8Array): void {
    this.#size += part.byteLength;
    // The rest of a line that is too long is of no use to anybody.
    if (!this.overlong) this.#parts.push(part.slice());
    else this.#parts = [];
  }

  #line(): string | undefined {
    const line = this.overlong ? undefined : new TextDecoder().decode(Buffer.concat(this.#parts));
    this.#parts = [];
    this.#size = 0;
    return line;
  }
}
