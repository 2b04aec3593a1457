import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { blobNotFound } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** The place of the blobs. A caller claims a blob before it puts it, so that no other process deletes it in between. */
export interface BlobStore {
  /** Resolves once the bytes are safe. Identical bytes are written once. */
  put(hash: string, bytes: Uint8Array): Promise<void>;
  /** @throws HostError `blob_not_found`, also when the bytes are no longer those that were put */
  get(hash: string): Promise<Uint8Array>;
}

/** The deleting side of a blob store, for the operations that clean a home. */
export interface BlobCleanup {
  delete(hash: string): void;
  /** Deletes the files of a shard that are older than `before` and belong to no blob in use. */
  deleteLeftovers(
    shard: string,
    options: { readonly before: number; readonly isUsed: (hash: string) => boolean },
  ): void;
}

/** Bytes hashed at once; this many take well under a millisecond. */
const STEP = 256 * 1024;

/** SHA-256 in hex. Large blobs let the event loop go on in between; hashing in another thread would copy them twice. */
export async function blobHash(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += STEP) {
    if (at > 0) await setImmediate();
    hash.update(bytes.subarray(at, at + STEP));
  }
  return hash.digest("hex");
}

export const isBlobHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Gives a blob's hash back. @throws HostError `blob_not_found` for what is none: it becomes the name of a file */
export function requireBlobHash(text: string): string {
  if (!isBlobHash(text)) throw blobNotFound(text);
  return text;
}

export const blobDamaged = (hash: string, where: string): HostError =>
  new HostError(
    "blob_not_found",
    `Blob ${hash} is damaged: ${where} does not hold the bytes that were stored. Restore it from a backup.`,
    { details: { subject: hash } },
  );
