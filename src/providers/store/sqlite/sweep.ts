import { sweepCommands } from "./commands.ts";
import { isUnusedBlob } from "./blobs.ts";
import type { OperationContext } from "./operation-context.ts";

const DAY = 24 * 60 * 60_000;

/** Deletes what was left behind by processes that died: a shard of the blobs each time, the rest with the first. */
export function sweep(
  { database, blobs }: OperationContext,
  { now, shard }: { readonly now: number; readonly shard: string },
): void {
  const before = now - DAY;
  if (shard === "00") {
    sweepCommands(database, now);
    database.run("DELETE FROM blob_claims WHERE at < ?", before);
  }
  blobs.deleteLeftovers(shard, { before, isUsed: (hash) => !isUnusedBlob(database, hash) });
}
