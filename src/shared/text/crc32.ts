import { crc32 as nativeCrc32 } from "node:zlib";

/** The polynomial of zlib's checksum, its lowest bit first. */
const POLYNOMIAL = 0xedb88320;
/** Characters of a text that is still summed here. */
const SHORT = 2048;
/** Characters after which Node's own function pays for what it loads: 2 MB, and some 3 ms. */
const FEW = 1024 * 1024;

let table: Int32Array | undefined;
let summed = 0;

/**
 * Computes zlib's checksum of a text in UTF-8. As long as it was asked for little, that is done here: a process with a few short
 * turns does not load zlib.
 *
 * @param start - the checksum of what comes before
 */
export function crc32(text: string, start = 0): number {
  if (text.length > SHORT || summed > FEW) return nativeCrc32(text, start);
  summed += text.length;
  return ofAscii(text, start) ?? nativeCrc32(text, start);
}

/** Computes it of a text in which each character is one byte; `undefined` of any other. */
export function ofAscii(text: string, start: number): number | undefined {
  table ??= Int32Array.from({ length: 256 }, (_, byte) => shifted(byte));
  let sum = ~start;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text.charCodeAt(at);
    if (byte > 0x7f) return undefined;
    sum = (table[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  }
  return ~sum >>> 0;
}

function shifted(byte: number): number {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
}
