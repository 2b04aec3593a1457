import { crc32 as nativeCrc32 } from "node:zlib";

/** The polynomial of zlib's checksum, its lowest bit first. */
const POLYNOMIAL = 0xedb88320;
/** Characters of a text that is still summed here. */
const SHORT = 2048;
/** Characters after which Node's own function pays for what it loads: 2 MB, and some 3 ms. */
const FEW = 1024 * 1024;
/** As many of them one costs that is none of ASCII. */
const WIDE = 16;
/** What UTF-8 says for half of a surrogate pair. */
const REPLACEMENT = 0xfffd;

let made: Int32Array | undefined;
let summed = 0;

/**
 * Computes zlib's checksum of a text in UTF-8. As long as it was asked for little, that is done here: a process with a few short
 * turns does not load zlib.
 *
 * @param start - the checksum of what comes before
 */
export const crc32 = (text: string, start = 0): number => new RunningCrc32(start).add(text).value;

/** The checksum of what is added one after the other. */
export class RunningCrc32 {
  #value: number;

  /** @param start - the checksum of what comes before */
  constructor(start = 0) {
    this.#value = start;
  }

  get value(): number {
    return this.#value;
  }

  /** Adds a text, or the part of it from one place to another, which is not cut out for that. */
  add(text: string, from = 0, to = text.length): this {
    if (to - from > SHORT || summed > FEW) {
      this.#value = nativeCrc32(text.slice(from, to), this.#value);
      return this;
    }
    summed += to - from;
    const table = (made ??= Int32Array.from({ length: 256 }, (_, byte) => shifted(byte)));
    let sum = ~this.#value;
    for (let at = from; at < to; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit < 0x80) sum = (table[(sum ^ unit) & 0xff] ?? 0) ^ (sum >>> 8);
      else {
        const point = (at + 1 < to ? text.codePointAt(at) : unit) ?? unit;
        if (point > 0xffff) at += 1;
        summed += WIDE;
        sum = withWide(sum, point, table);
      }
    }
    this.#value = ~sum >>> 0;
    return this;
  }
}

/** Adds a character of several bytes to a sum. */
function withWide(sum: number, point: number, table: Int32Array): number {
  if (point < 0x800) return withTail(withByte(sum, 0xc0 | (point >> 6), table), point, table);
  if (point >= 0xd800 && point < 0xe000) return withWide(sum, REPLACEMENT, table);
  const lead =
    point < 0x10000
      ? withByte(sum, 0xe0 | (point >> 12), table)
      : withTail(withByte(sum, 0xf0 | (point >> 18), table), point >> 12, table);
  return withTail(withTail(lead, point >> 6, table), point, table);
}

const withTail = (sum: number, bits: number, table: Int32Array): number =>
  withByte(sum, 0x80 | (bits & 0x3f), table);

const withByte = (sum: number, byte: number, table: Int32Array): number =>
  (table[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);

function shifted(byte: number): number {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
}
