import { hash as digest } from "node:crypto";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Database } from "../store/sqlite/database.ts";
import { integer, text } from "../store/sqlite/columns.ts";

/** Content on its way into the store. */
export interface NewObject {
  readonly hash: string;
  readonly size: number;
  readonly packed: boolean;
  readonly data: Uint8Array;
}

/** Shorter content grows when it is compressed. */
const WORTH_COMPRESSING = 96;
const LEVEL = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export const contentHash = (bytes: Uint8Array): string => digest("sha256", bytes, "hex");

/** Packs content, where that saves something. */
export function packObject(hash: string, bytes: Uint8Array): NewObject {
  const packed = bytes.length < WORTH_COMPRESSING ? undefined : zstdCompressSync(bytes, LEVEL);
  return packed === undefined || packed.length >= bytes.length
    ? { hash, size: bytes.length, packed: false, data: bytes }
    : { hash, size: bytes.length, packed: true, data: packed };
}

/** The contents of files, each once, by the hash of its bytes. */
export class ObjectStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  has(hash: string): boolean {
    return this.#database.one("SELECT 1 AS found FROM objects WHERE hash = ?", hash) !== undefined;
  }

  /** Inside a transaction of the caller's. */
  add({ hash, size, packed, data }: NewObject): void {
    this.#database.insert(
      "objects",
      { hash, size, stored: data.length, packed: packed ? 1 : 0, data },
      "ON CONFLICT DO NOTHING",
    );
  }

  /** `undefined` when it is not there, or is not what was put there any more. */
  get(hash: string): Uint8Array | undefined {
    const row = this.#database.one("SELECT packed, data FROM objects WHERE hash = ?", hash);
    const data = row?.["data"];
    if (row === undefined || !(data instanceof Uint8Array)) return undefined;
    try {
      const bytes = integer(row, "packed") === 1 ? zstdDecompressSync(data) : data;
      return contentHash(bytes) === hash ? bytes : undefined;
    } catch {
      // Damaged bytes do not unpack.
      return undefined;
    }
  }

  /** Bytes of all that is kept. */
  get stored(): number {
    return this.#database.integer("total", "SELECT coalesce(sum(stored), 0) AS total FROM objects");
  }

  /** Deletes what nothing names any more. Nobody may be at work on a step that could still name it. */
  collect(): number {
    const unused = this.#database
      .all(
        `SELECT hash FROM objects AS o
         WHERE NOT EXISTS (SELECT 1 FROM entries WHERE entries.hash = o.hash)
           AND NOT EXISTS (SELECT 1 FROM changes WHERE pre_hash = o.hash)
           AND NOT EXISTS (SELECT 1 FROM changes WHERE post_hash = o.hash)`,
      )
      .map((row) => text(row, "hash"));
    for (const hash of unused) this.#database.run("DELETE FROM objects WHERE hash = ?", hash);
    return unused.length;
  }
}
