/** Bytes that are kept of a long output: its first and its last ones. */
export interface OutputLimits {
  readonly head: number;
  readonly tail: number;
}

/** Output from a position on, as far as it is kept. */
export interface OutputSlice {
  readonly text: string;
  /** Where the next slice begins. */
  readonly next: number;
  /** Bytes after the position asked for that are kept no more. */
  readonly missed: number;
}

const SMALLEST_RING = 4096;

/**
 * The beginning and the end of a byte stream, in a fixed amount of memory. Positions are counted in bytes from the
 * beginning.
 */
export class BoundedOutput {
  readonly #limits: OutputLimits;
  #head: Uint8Array<ArrayBuffer>[] = [];
  #headLength = 0;
  /** The last bytes after the head; position `p` is at `p % length`, counted from the head's end. */
  #ring = new Uint8Array(0);
  #total = 0;

  constructor(limits: OutputLimits) {
    this.#limits = limits;
  }

  /** All bytes so far. */
  get total(): number {
    return this.#total;
  }

  /** Bytes between head and tail that are kept no more. */
  get omitted(): number {
    return Math.max(0, this.#total - this.#headLength - this.#ring.length);
  }

  append(chunk: Uint8Array): void {
    const toHead = Math.min(chunk.length, this.#limits.head - this.#headLength);
    if (toHead > 0) {
      // A copy: the memory of a chunk is its giver's.
      this.#head.push(new Uint8Array(chunk.subarray(0, toHead)));
      this.#headLength += toHead;
      this.#total += toHead;
    }
    if (toHead < chunk.length) this.#toRing(chunk.subarray(toHead));
  }

  /** The first and the last bytes; together they are the whole output when nothing was omitted. */
  ends(): { readonly head: Uint8Array; readonly tail: Uint8Array } {
    return { head: this.#joinedHead(), tail: this.#ringFrom(0) };
  }

  /** What came since a position, whole characters only: the rest of a broken one comes with the next slice. */
  since(position: number): OutputSlice {
    const kept = this.#total - this.#ringLength();
    const missed = kept > this.#headLength ? Math.max(0, kept - position) : 0;
    const ring = this.#ringFrom(Math.max(0, position - kept));
    const bytes =
      missed > 0
        ? ring.subarray(brokenStart(ring))
        : Buffer.concat([this.#joinedHead().subarray(position), ring]);
    const broken = brokenEnd(bytes);
    return {
      text: decode(bytes.subarray(0, bytes.length - broken)),
      next: this.#total - broken,
      missed,
    };
  }

  /**
   * As `since`, for whoever follows it from its beginning: what is left of that comes first, by itself, and to who
   * cannot keep up only the newest bytes are given.
   */
  following(position: number, newest: number): OutputSlice {
    const kept = this.#total - this.#ringLength();
    if (this.omitted === 0 || position >= kept) return this.since(position);
    if (position < this.#headLength) {
      const bytes = this.#joinedHead().subarray(position);
      const text = decode(bytes.subarray(0, bytes.length - brokenEnd(bytes)));
      return { text, next: this.#headLength, missed: 0 };
    }
    const from = Math.max(kept, this.#total - newest);
    const bytes = this.#ringFrom(from - kept);
    const start = brokenStart(bytes);
    const end = bytes.length - brokenEnd(bytes);
    const next = this.#total - bytes.length + end;
    return { text: decode(bytes.subarray(start, end)), next, missed: from + start - position };
  }

  #joinedHead(): Uint8Array {
    const [only] = this.#head;
    if (only !== undefined && this.#head.length === 1) return only;
    const head = Buffer.concat(this.#head);
    this.#head = [head];
    return head;
  }

  #ringLength(): number {
    return Math.min(this.#total - this.#headLength, this.#ring.length);
  }

  #toRing(chunk: Uint8Array): void {
    this.#growRing(this.#total - this.#headLength + chunk.length);
    const size = this.#ring.length;
    const kept = chunk.length > size ? chunk.subarray(chunk.length - size) : chunk;
    if (size > 0) {
      const at = (this.#total + chunk.length - kept.length - this.#headLength) % size;
      const first = kept.subarray(0, size - at);
      this.#ring.set(first, at);
      this.#ring.set(kept.subarray(first.length), 0);
    }
    this.#total += chunk.length;
  }

  /** Grows until the limit; while it has never been full, positions stay where they are. */
  #growRing(needed: number): void {
    const size = this.#ring.length;
    if (needed <= size || size === this.#limits.tail) return;
    const next = new Uint8Array(Math.min(this.#limits.tail, Math.max(SMALLEST_RING, size * 2, needed)));
    next.set(this.#ring);
    this.#ring = next;
  }

  /** The ring's bytes in order, from an offset into them. */
  #ringFrom(offset: number): Uint8Array {
    const length = this.#ringLength();
    const end = this.#total - this.#headLength;
    const size = this.#ring.length;
    if (offset >= length) return new Uint8Array(0);
    const from = (end - length + offset) % size;
    const to = end % size;
    if (from < to) return this.#ring.slice(from, to);
    return Buffer.concat([this.#ring.subarray(from), this.#ring.subarray(0, to)]);
  }
}

/** Bytes at the end that are the beginning of a character. */
function brokenEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < sequenceLength(byte) ? back : 0;
  }
  return 0;
}

const sequenceLength = (lead: number): number => (lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2);

/** Bytes at the beginning that are the end of a character. */
function brokenStart(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const decode = (bytes: Uint8Array): string => decoder.decode(bytes);

/** The text before and after a cut, with no character broken by it. */
export function decodeEnds(output: BoundedOutput): { readonly head: string; readonly tail: string } {
  const { head, tail } = output.ends();
  if (output.omitted === 0) return { head: decode(Buffer.concat([head, tail])), tail: "" };
  return {
    head: decode(head.subarray(0, head.length - brokenEnd(head))),
    tail: decode(tail.subarray(brokenStart(tail))),
  };
}
