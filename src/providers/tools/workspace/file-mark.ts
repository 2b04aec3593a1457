import type { BigIntStats } from "node:fs";

/** Changes whenever the content of a file may have changed. */
export type FileMark = string;

export function markOf({ ino, size, mtimeNs }: BigIntStats): FileMark {
  return `${ino}:${size}:${mtimeNs}`;
}
