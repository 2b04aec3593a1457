import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { randomHex } from "../../../shared/crypto/random-hex.ts";
import { encodeLine, HEADER_SIZE, headerLine } from "./piece-lines.ts";
import type { SavedPiece } from "./saved-pieces.ts";

/** Bytes up to which new replies begin in a file, and up to which those that began in it go on. */
const FULL_FOR_NEW = 1024 * 1024;
const FULL = 4 * 1024 * 1024;
/** Bytes from which a file that nobody needs is emptied; emptying costs more than a write. */
const WORTH_EMPTYING = 64 * 1024;

/** The end of a file's use, as its descriptor shows it. */
export type FileEnd = "sealed" | "deleted";

/** The path of one of a host's files; the first says for all of them whether the host may save. */
export const pieceFileName = (host: string, index: number): string => `${host}-${index}`;

/** How many files a host has at most. */
export const FILES_PER_HOST = 4;

/** A file to which this process appends pieces of text, of several sessions at a time. */
export class PieceFile {
  readonly #fd: number;
  /** The leases whose text is needed. */
  readonly #leases = new Set<number>();
  #size = 0;
  #generation = 0;
  /** A write failed halfway: whatever follows could not be read. */
  #isBroken = false;

  /** @throws the system's error; `EEXIST` when another process was here first */
  constructor(path: string) {
    this.#fd = openSync(
      path,
      constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | constants.O_WRONLY,
      0o600,
    );
    this.#begin();
  }

  /** A reply may begin in it. */
  get takesNew(): boolean {
    return !this.#isBroken && this.#size < FULL_FOR_NEW;
  }

  write(fence: number, pieces: readonly SavedPiece[]): boolean {
    if (this.#isBroken) return false;
    const lines = pieces.map((piece) => encodeLine(this.#generation, fence, piece));
    const text = lines.join("");
    const size = Buffer.byteLength(text);
    if (this.#size + size > FULL) return false;
    this.#leases.add(fence);
    return this.#write(text, size);
  }

  /** Forgets a lease; a large file that nobody needs is emptied. */
  drop(fence: number): void {
    this.#leases.delete(fence);
    if (this.#size > WORTH_EMPTYING || this.#isBroken) this.empty();
  }

  /** Empties it, unless somebody needs it. */
  empty(): void {
    if (this.#leases.size > 0 || (this.#size === HEADER_SIZE && !this.#isBroken)) return;
    try {
      ftruncateSync(this.#fd, 0);
      this.#begin();
    } catch {
      this.#isBroken = true;
    }
  }

  /** Another process has ended its use. */
  end(): FileEnd | undefined {
    const { mode, nlink } = fstatSync(this.#fd);
    if ((mode & constants.S_IWUSR) === 0) return "sealed";
    return nlink === 0 ? "deleted" : undefined;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #begin(): void {
    this.#generation = Number.parseInt(randomHex(4), 16);
    this.#size = 0;
    this.#isBroken = false;
    this.#write(headerLine(this.#generation), HEADER_SIZE);
  }

  #write(text: string, size: number): boolean {
    let written = 0;
    try {
      written = writeSync(this.#fd, text);
    } catch {
      // A full disk, most likely: the database says so in its own words.
    }
    this.#size += written;
    this.#isBroken = written !== size;
    return !this.#isBroken;
  }
}
