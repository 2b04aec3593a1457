import { HostError } from "../../../shared/errors/host-error.ts";
import type { BlobStore } from "../blob-store.ts";
import { text } from "../postgres/columns.ts";
import type { Connections } from "../postgres/connections.ts";
import { statement } from "../postgres/statement.ts";

/** Blobs that are looked up together, and those that are on their way at once. */
const PAGE = 500;
const AT_ONCE = 4;

const THERE = statement("copy_blobs_there", "SELECT hash FROM blobs WHERE hash = ANY ($1::text[])");

/** The two ends of a copy of blobs. */
export interface BlobCopy {
  readonly hashes: readonly string[];
  readonly from: BlobStore;
  readonly to: BlobStore;
  /** Where those are that are there already. */
  readonly target: Connections;
  readonly copied: () => Promise<void>;
}

/** Copies blobs, each as one, and reads each back. @returns those that the home has lost, or that are damaged there */
export async function copyBlobs({ hashes, from, to, target, copied }: BlobCopy): Promise<readonly string[]> {
  const lost: string[] = [];
  const copy = async (hash: string): Promise<void> => {
    const bytes = await from.get(hash).catch((thrown: unknown) => {
      if (isLost(thrown)) return undefined;
      throw thrown;
    });
    if (bytes === undefined) lost.push(hash);
    else {
      await to.put(hash, bytes);
      // It is named after its content: what is read back is what was sent.
      await to.get(hash);
    }
  };
  for (let at = 0; at < hashes.length; at += PAGE) {
    const page = hashes.slice(at, at + PAGE);
    const there = new Set((await target.query(THERE, [page])).map((row) => text(row, "hash")));
    const missing = page.filter((hash) => !there.has(hash));
    for (let next = 0; next < missing.length; next += AT_ONCE)
      await Promise.all(missing.slice(next, next + AT_ONCE).map(copy));
    for (let done = 0; done < page.length; done += 1) await copied();
  }
  return lost;
}

const isLost = (thrown: unknown): boolean =>
  thrown instanceof HostError && (thrown.code === "blob_not_found" || thrown.code === "store_corrupt");
