const encoder = new TextEncoder();
const LEAST_CHUNK = 1024;
const LARGEST_CHUNK = 64 * 1024;
/** A character may need this many bytes: with less room left, a chunk counts as full. */
const LONGEST_CHARACTER = 4;

/**
 * A text as UTF-8, in chunks, so that it can grow without being copied. Bytes that were given out are never written
 * again: a request may still be sending them.
 */
export class ByteChunks {
  readonly #chunks: Uint8Array[];
  /** The bytes before each chunk. */
  readonly #starts: number[];
  #size: number;
  /** The end of the last chunk; what is before it and after `#size` is free. */
  #capacity: number;

  constructor(chunks: readonly Uint8Array[] = []) {
    this.#chunks = [...chunks];
    this.#starts = [];
    this.#size = 0;
    for (const { length } of chunks) {
      this.#starts.push(this.#size);
      this.#size += length;
    }
    this.#capacity = this.#size;
  }

  get size(): number {
    return this.#size;
  }

  append(text: string): void {
    for (let rest = text; rest !== "";) {
      if (this.#capacity - this.#size < LONGEST_CHARACTER) this.#addChunk();
      const { read, written } = encoder.encodeInto(rest, this.#free());
      this.#size += written;
      rest = rest.slice(read);
    }
  }

  /** The bytes from one place to another, uncopied. */
  between(from: number, to: number): readonly Uint8Array[] {
    const views: Uint8Array[] = [];
    for (let index = this.#indexAt(from), at = from; at < to; index += 1) {
      const chunk = this.#chunks[index];
      if (chunk === undefined) break;
      const start = this.#starts[index] ?? 0;
      const end = Math.min(to, this.#starts[index + 1] ?? this.#size);
      views.push(chunk.subarray(at - start, end - start));
      at = end;
    }
    return views;
  }

  #free(): Uint8Array {
    const start = this.#starts.at(-1) ?? 0;
    return this.#chunks.at(-1)?.subarray(this.#size - start) ?? new Uint8Array(0);
  }

  /** The beginnings of chunks are close together at first: most conversations are short. */
  #addChunk(): void {
    const length = Math.min(LARGEST_CHUNK, Math.max(LEAST_CHUNK, this.#size));
    this.#chunks.push(new Uint8Array(length));
    this.#starts.push(this.#size);
    this.#capacity = this.#size + length;
  }

  /** The chunk that a place is in. */
  #indexAt(place: number): number {
    const next = this.#starts.findIndex((start) => start > place);
    return next === -1 ? this.#starts.length - 1 : next - 1;
  }
}
