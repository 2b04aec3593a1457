import { join } from "node:path";
import { makeFolder } from "../../../shared/files/make-folder.ts";
import { FILES_PER_HOST, PieceFile, pieceFileName } from "./piece-file.ts";
import type { PieceSink, SavedPiece } from "./saved-pieces.ts";

/**
 * The files to which this process saves streamed text: one write, no sync. A reply stays in the file in which it began.
 * When that is full, new ones begin in the next, and a file starts over once no reply in it is needed.
 *
 * The first file is also this host's permission. Who takes its sessions makes that file read-only, and then reads what
 * there is. This host looks at it after each write: a write that finds it writable came before, so it was read.
 */
export class PieceFiles implements PieceSink {
  readonly #folder: string;
  readonly #host: string;
  readonly #byLease = new Map<number, PieceFile>();
  readonly #files: PieceFile[] = [];
  #isEnded = false;

  constructor(folder: string, host: string) {
    this.#folder = folder;
    this.#host = host;
  }

  save(fence: number, pieces: readonly SavedPiece[]): boolean {
    if (this.#isEnded) return false;
    try {
      for (;;) {
        const file = this.#byLease.get(fence) ?? this.#place();
        if (file === undefined) return false;
        this.#byLease.set(fence, file);
        if (!file.write(fence, pieces)) return false;
        const end = this.#files[0]?.end();
        if (end === undefined) return true;
        this.close();
        // What is deleted belonged to no lease: this one is newer, and nothing of it was there.
        if (end === "sealed") return false;
        this.#isEnded = false;
      }
    } catch {
      // No file can be made, or another host has sealed what was not there yet. The database is the other way.
      this.close();
      return false;
    }
  }

  drop(fence: number): void {
    this.#byLease.get(fence)?.drop(fence);
    this.#byLease.delete(fence);
  }

  clean(): void {
    for (const file of this.#files) file.empty();
  }

  close(): void {
    this.#isEnded = true;
    this.#byLease.clear();
    for (const file of this.#files.splice(0)) file.close();
  }

  /** The file in which a reply begins; `undefined` when all are full. */
  #place(): PieceFile | undefined {
    const file = this.#files.find(({ takesNew }) => takesNew);
    if (file !== undefined || this.#files.length === FILES_PER_HOST) return file;
    makeFolder(this.#folder);
    const made = new PieceFile(join(this.#folder, pieceFileName(this.#host, this.#files.length)));
    this.#files.push(made);
    return made;
  }
}
