import { blobNotFound } from "../../../core/index.ts";
import { type BlobCleanup, type BlobStore, blobHash, blobDamaged } from "../blob-store.ts";
import { MemoryPieces } from "./memory-pieces.ts";
import { openMemoryDatabase } from "../sqlite/open-database.ts";

/** The data of a home in memory, which the stores of one process share as processes share a folder. */
export class MemoryHomeData {
  readonly database = openMemoryDatabase();
  readonly pieces = new MemoryPieces();
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #listeners = new Set<(by: string) => void>();

  readonly blobs: BlobStore = {
    put: async (hash, bytes) => void this.#blobs.set(hash, new Uint8Array(bytes)),
    get: async (hash) => {
      const bytes = this.#blobs.get(hash);
      if (bytes === undefined) throw blobNotFound(hash);
      if ((await blobHash(bytes)) !== hash) throw blobDamaged(hash, "the memory");
      return new Uint8Array(bytes);
    },
  };

  readonly blobCleanup: BlobCleanup = {
    delete: (hash) => void this.#blobs.delete(hash),
    // Nobody leaves half a blob in memory.
    deleteLeftovers: () => undefined,
  };

  /** Calls `listener` after each change, with the id of the host that made it. */
  onChange(listener: (by: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(by: string): void {
    for (const listener of this.#listeners) listener(by);
  }
}
