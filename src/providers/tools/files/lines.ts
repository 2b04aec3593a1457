import type { FileHandle } from "node:fs/promises";

/** A line without its end. */
export interface FileLine {
  /** Counted from 1. */
  readonly number: number;
  /** Its beginning, when it is longer than was asked for. */
  readonly text: string;
  /** Characters that are left out at the end. */
  readonly cut: number;
  /** It ended in CR LF. */
  readonly crlf: boolean;
}

const CHUNK = 64 * 1024;
const BOM = "\uFEFF";

/**
 * Reads a text file line by line in little memory, however large it is and however long its lines are. Bytes that are
 * no UTF-8 become U+FFFD; a byte order mark is left out.
 *
 * @param longest - characters of a line that are kept
 */
export async function* readLines(
  handle: FileHandle,
  longest: number,
  signal: AbortSignal,
): AsyncGenerator<readonly FileLine[], void, void> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const cutter = new LineCutter(longest);
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let position = 0; ;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK, position);
    const text = decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 });
    const lines = cutter.push(position === 0 && text.startsWith(BOM) ? text.slice(1) : text);
    if (lines.length > 0) yield lines;
    if (bytesRead === 0) break;
    position += bytesRead;
  }
  const last = cutter.end();
  if (last !== undefined) yield [last];
}

/** The lines of a text that is there already. */
export function linesOf(text: string, longest: number): readonly FileLine[] {
  const cutter = new LineCutter(longest);
  const lines = cutter.push(text.startsWith(BOM) ? text.slice(1) : text);
  const last = cutter.end();
  return last === undefined ? lines : [...lines, last];
}

class LineCutter {
  readonly #longest: number;
  #number = 1;
  #text = "";
  #cut = 0;
  #lastChar = "";

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(text: string): readonly FileLine[] {
    const lines: FileLine[] = [];
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      this.#add(text.slice(start, end));
      lines.push(this.#take(true));
      start = end + 1;
    }
    this.#add(text.slice(start));
    return lines;
  }

  /** The rest after the last line end, when there is one. */
  end(): FileLine | undefined {
    return this.#text === "" && this.#cut === 0 ? undefined : this.#take(false);
  }

  #add(part: string): void {
    if (part === "") return;
    const kept = part.slice(0, Math.max(0, this.#longest + 1 - this.#text.length));
    this.#text += kept;
    this.#cut += part.length - kept.length;
    this.#lastChar = part.slice(-1);
  }

  #take(ended: boolean): FileLine {
    const crlf = ended && this.#lastChar === "\r";
    const length = this.#text.length + this.#cut - (crlf ? 1 : 0);
    // Not in the middle of a character.
    const text = this.#text.slice(0, Math.min(length, this.#longest)).replace(/[\uD800-\uDBFF]$/, "");
    const line = { number: this.#number, text, cut: length - text.length, crlf };
    this.#number += 1;
    this.#text = "";
    this.#cut = 0;
    this.#lastChar = "";
    return line;
  }
}
