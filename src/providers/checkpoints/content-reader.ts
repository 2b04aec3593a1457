import type { Stats } from "node:fs";
import { ABSENT, type BytePath, type FileState } from "./file-state.ts";
import { contentHash, type NewObject, type ObjectStore, packObject } from "./objects.ts";
import { readBelow } from "./open-file.ts";
import type { TreePlace } from "./tree-rules.ts";

/** Larger files are named, not kept. */
export const LARGEST_KEPT = 20 * 1024 * 1024;

const PERMISSIONS = 0o7777;

export const statStamp = ({ ino, size, mtimeMs, ctimeMs }: Stats): string =>
  `${ino}:${size}:${mtimeMs}:${ctimeMs}`;

/** A file whose content is not kept, and why. */
export function unkept(
  stat: Stats,
  why: NonNullable<Extract<FileState, { kind: "file" }>["why"]>,
): FileState {
  const { mode, size } = stat;
  return { kind: "file", mode: mode & PERMISSIONS, size, hash: null, why, stamp: statStamp(stat) };
}

/** Content that was read and is not in the database yet. */
export class ContentReader {
  readonly #objects: ObjectStore;
  readonly #hasRoom: (bytes: number) => boolean;
  #waiting = new Map<string, NewObject>();
  #bytes = 0;
  /** Packed bytes that it brought into the store. */
  added = 0;

  /** @param hasRoom - whether so many bytes may still be stored */
  constructor(objects: ObjectStore, hasRoom: (bytes: number) => boolean) {
    this.#objects = objects;
    this.#hasRoom = hasRoom;
  }

  /** Packed bytes that wait to be saved. */
  get waiting(): number {
    return this.#bytes;
  }

  /** Reads a file below a root and keeps its content. Gives what was read, which may be newer than `stat`. */
  read(place: TreePlace, path: BytePath, stat: Stats): { readonly state: FileState; readonly stat: Stats } {
    if (stat.size > LARGEST_KEPT) return { state: unkept(stat, "large"), stat };
    const { root, checksPlace } = place;
    const read = readBelow(root, path, { limit: LARGEST_KEPT, checksPlace });
    if (read === "gone") return { state: ABSENT, stat };
    if (typeof read === "string") return { state: unkept(stat, read), stat };
    const hash = contentHash(read.bytes);
    if (!this.#keep(hash, read.bytes)) return { state: unkept(read.stat, "cap"), stat: read.stat };
    const mode = read.stat.mode & PERMISSIONS;
    return { state: { kind: "file", mode, size: read.bytes.length, hash }, stat: read.stat };
  }

  /** Inside a transaction of the caller's. */
  save(): void {
    for (const object of this.#waiting.values()) this.#objects.add(object);
    this.#waiting = new Map();
    this.added += this.#bytes;
    this.#bytes = 0;
  }

  #keep(hash: string, bytes: Uint8Array): boolean {
    if (this.#waiting.has(hash) || this.#objects.has(hash)) return true;
    const object = packObject(hash, bytes);
    if (!this.#hasRoom(this.#bytes + object.data.length)) return false;
    this.#waiting.set(hash, object);
    this.#bytes += object.data.length;
    return true;
  }
}
