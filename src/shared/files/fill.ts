import { readSync } from "node:fs";

/**
 * Fills bytes from an open file, in as many reads as it takes.
 *
 * @param start - a place in the file; with `null` it goes on where the last reading ended, as devices are read
 * @returns how many there were
 * @throws when it cannot be read
 */
export function fill(descriptor: number, bytes: Uint8Array, start: number | null): number {
  let filled = 0;
  for (let count = -1; count !== 0 && filled < bytes.length; filled += count) {
    const position = start === null ? null : start + filled;
    count = readSync(descriptor, bytes, filled, bytes.length - filled, position);
  }
  return filled;
}
