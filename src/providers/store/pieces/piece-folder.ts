import {
  closeSync,
  constants,
  fchmodSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { makeFolder } from "../../../shared/files/make-folder.ts";
import { FILES_PER_HOST, pieceFileName } from "./piece-file.ts";
import { PieceFileIndex } from "./piece-file-index.ts";
import type { SavedPiece, SavedPieces } from "./saved-pieces.ts";

/** The name of the folder in a home. */
export const PIECE_FOLDER = "pieces";

/** The mode of a file to which its host may write no more; a descriptor that is open shows it too. */
const SEALED = 0o400;

/** The folder of all hosts' files of pieces, as the database's thread uses it. */
export class PieceFolder implements SavedPieces {
  readonly #folder: string;
  readonly #hosts = new Map<string, readonly PieceFileIndex[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(host: string, fence: number): readonly SavedPiece[] {
    const files = this.#filesOf(host);
    for (const file of files) file.refresh();
    const lists = files.map((file) => file.of(fence)).filter((list) => list.length > 0);
    // A lease is in several files only while an earlier reply of it has not been cleared away.
    return lists.length === 1 ? (lists[0] ?? []) : lists.flat().sort((a, b) => a.cursor - b.cursor);
  }

  lastOf(host: string, fence: number): number {
    const files = this.#filesOf(host);
    for (const file of files) file.refresh();
    return Math.max(0, ...files.map((file) => file.of(fence).at(-1)?.cursor ?? 0));
  }

  changesOf(hosts: Iterable<string>): number {
    let changes = 0;
    for (const host of hosts)
      for (const file of this.#filesOf(host)) {
        file.refresh();
        changes += file.changes;
      }
    return changes;
  }

  seal(host: string): void {
    makeFolder(this.#folder);
    // Made, when it is not there: then the host cannot make it any more.
    const fd = openSync(this.#path(host, 0), constants.O_CREAT | constants.O_RDONLY, SEALED);
    try {
      fchmodSync(fd, SEALED);
    } finally {
      closeSync(fd);
    }
  }

  discard(host: string): void {
    this.seal(host);
    // An empty file takes its place: a host that was only taken for dead must still find it.
    const draft = this.#draft(host);
    rmSync(draft, { force: true });
    closeSync(openSync(draft, constants.O_CREAT | constants.O_RDONLY, SEALED));
    renameSync(draft, this.#path(host, 0));
    for (let index = 1; index < FILES_PER_HOST; index += 1) rmSync(this.#path(host, index), { force: true });
    this.#hosts.delete(host);
  }

  remove(host: string): void {
    rmSync(this.#draft(host), { force: true });
    for (let index = 0; index < FILES_PER_HOST; index += 1) rmSync(this.#path(host, index), { force: true });
    this.#hosts.delete(host);
  }

  removeLeftovers({ before, isKnown }: Parameters<SavedPieces["removeLeftovers"]>[0]): void {
    const hosts = new Map<string, number>();
    for (const name of namesIn(this.#folder)) {
      const host = name.slice(0, name.lastIndexOf("-"));
      const changedAt = statSync(join(this.#folder, name), { throwIfNoEntry: false })?.ctimeMs ?? 0;
      hosts.set(host, Math.max(changedAt, hosts.get(host) ?? 0));
    }
    // All files of a host or none: it looks at the first one only.
    for (const [host, changedAt] of hosts) if (changedAt < before && !isKnown(host)) this.remove(host);
  }

  #draft(host: string): string {
    return `${this.#path(host, 0)}.tmp`;
  }

  #path(host: string, index: number): string {
    return join(this.#folder, pieceFileName(host, index));
  }

  #filesOf(host: string): readonly PieceFileIndex[] {
    let files = this.#hosts.get(host);
    if (files === undefined) {
      files = Array.from(
        { length: FILES_PER_HOST },
        (_, index) => new PieceFileIndex(this.#path(host, index)),
      );
      this.#hosts.set(host, files);
    }
    return files;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ENOENT") return [];
    throw thrown;
  }
}
