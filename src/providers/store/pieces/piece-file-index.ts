import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { decodeLine, generationOf, HEADER_SIZE } from "./piece-lines.ts";
import type { SavedPiece } from "./saved-pieces.ts";

/** The content of one file of pieces as of the last look at it. A look reads only what is new. */
export class PieceFileIndex {
  readonly #path: string;
  readonly #byLease = new Map<number, SavedPiece[]>();
  /** How often something new was read. */
  changes = 0;
  #generation: number | undefined;
  /** The end of the last line that was read whole. */
  #end = 0;

  constructor(path: string) {
    this.#path = path;
  }

  of(fence: number): readonly SavedPiece[] {
    return this.#byLease.get(fence) ?? [];
  }

  /** Reads what is new in the file. */
  refresh(): void {
    const fd = openToRead(this.#path);
    if (fd === undefined) return this.#restart(undefined);
    try {
      const generation = generationOf(bytesOf(fd, 0, HEADER_SIZE).toString("latin1"));
      if (generation !== this.#generation) this.#restart(generation);
      const { size } = fstatSync(fd);
      if (generation !== undefined && size > this.#end) this.#read(bytesOf(fd, this.#end, size), generation);
    } finally {
      closeSync(fd);
    }
  }

  /** Reads whole lines, up to the first that is not: it may still be being written, or be of another generation. */
  #read(bytes: Buffer, generation: number): void {
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      const line = decodeLine(generation, bytes.toString("utf8", start, end));
      if (line === undefined) break;
      const known = this.#byLease.get(line.fence);
      if (known === undefined) this.#byLease.set(line.fence, [line.piece]);
      else known.push(line.piece);
      start = end + 1;
    }
    this.#end += start;
    if (start > 0) this.changes += 1;
  }

  #restart(generation: number | undefined): void {
    this.#byLease.clear();
    this.#generation = generation;
    this.#end = HEADER_SIZE;
  }
}

function openToRead(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

function bytesOf(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(to - from);
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, from));
}
