import { blobNotFound } from "../../../core/index.ts";
import { readdirSync, rmSync, statSync } from "node:fs";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RandomHex } from "../../../shared/crypto/random-hex.ts";
import { type BlobCleanup, blobHash, type BlobStore, blobDamaged, isBlobHash } from "../blob-store.ts";
import { storeFailure } from "./failure.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { makeFolder } from "../../../shared/files/make-folder.ts";

const HASH_LENGTH = 64;

/** A blob's file; `ab/abcdef…`, so that no folder grows large. */
const blobPath = (folder: string, hash: string): string => join(folder, hash.slice(0, 2), hash);

/** Blobs as files, named after their content. */
export function blobFiles(folder: string, randomHex: RandomHex): BlobStore {
  return {
    async put(hash, bytes) {
      const path = blobPath(folder, hash);
      try {
        makeFolder(dirname(path));
        if (!(await holds(path, hash))) await write(path, bytes, randomHex);
        // Also for bytes that are there already: who wrote them may not have come this far.
        await syncFolder(dirname(path));
      } catch (thrown) {
        throw storeFailure(thrown, path);
      }
    },
    async get(hash) {
      const path = blobPath(folder, hash);
      const bytes = await readFile(path).catch((thrown: unknown) => {
        throw systemErrorCode(thrown) === "ENOENT" ? blobNotFound(hash) : storeFailure(thrown, path);
      });
      if ((await blobHash(bytes)) !== hash) throw blobDamaged(hash, path);
      return bytes;
    },
  };
}

/** The same files, for the thread that cleans. */
export function blobFileCleanup(folder: string): BlobCleanup {
  return {
    delete: (hash) => rmSync(blobPath(folder, hash), { force: true }),
    deleteLeftovers(shard, { before, isUsed }) {
      for (const name of namesIn(join(folder, shard))) {
        const path = join(folder, shard, name);
        // A draft has its blob's name and some more.
        const hash = name.slice(0, HASH_LENGTH);
        if (isBlobHash(hash) && isUsed(hash)) continue;
        const modifiedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
        if (modifiedAt !== undefined && modifiedAt < before) rmSync(path, { force: true });
      }
    },
  };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ENOENT") return [];
    throw thrown;
  }
}

/** Whether the file is there and whole; one that has rotted is written anew. */
async function holds(path: string, hash: string): Promise<boolean> {
  try {
    return (await blobHash(await readFile(path))) === hash;
  } catch (thrown) {
    if (systemErrorCode(thrown) === "ENOENT") return false;
    throw thrown;
  }
}

async function write(path: string, bytes: Uint8Array, randomHex: RandomHex): Promise<void> {
  const draft = `${path}.${randomHex(6)}.tmp`;
  try {
    await using file = await open(draft, "wx", 0o600);
    await file.writeFile(bytes);
    await file.sync();
    await rename(draft, path);
  } catch (thrown) {
    await rm(draft, { force: true });
    throw thrown;
  }
}

/** A name is only safe once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, "r");
  await handle.sync();
}
