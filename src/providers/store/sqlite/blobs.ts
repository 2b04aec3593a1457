import type { StoreInput } from "../operations.ts";
import { sweepCommands } from "./commands.ts";
import { sweepFeed } from "./feed.ts";
import type { Database } from "./database.ts";
import type { OperationContext } from "./operation-context.ts";

/** Protects a blob that no row names yet from deletion; one claim for each row that will name it. */
export function claimBlob(
  { database, host }: OperationContext,
  { hash, now }: StoreInput<"claimBlob">,
): void {
  const again = "ON CONFLICT (hash, host) DO UPDATE SET at = excluded.at, count = count + 1";
  database.insert("blob_claims", { hash, host: host.id, at: now, count: 1 }, again);
}

/** Notes that a session's rows name a blob, and ends one claim of this host. */
export function referenceBlob({ database, host }: OperationContext, session: number, hash: string): void {
  database.run("INSERT OR IGNORE INTO blob_refs (hash, session) VALUES (?, ?)", hash, session);
  database.run("UPDATE blob_claims SET count = count - 1 WHERE hash = ? AND host = ?", hash, host.id);
  database.run("DELETE FROM blob_claims WHERE hash = ? AND host = ? AND count = 0", hash, host.id);
}

/** Whether no session names a blob, and no host is about to. */
export function isUnusedBlob(database: Database, hash: string): boolean {
  const row = database.one(
    `SELECT EXISTS (SELECT 1 FROM blob_refs WHERE hash = ?) AS named,
       EXISTS (SELECT 1 FROM blob_claims WHERE hash = ?) AS claimed`,
    hash,
    hash,
  );
  return row?.["named"] === 0 && row["claimed"] === 0;
}

/** Whether a session of a user names a blob. */
export const namesBlob = (database: Database, { hash, user }: StoreInput<"namesBlob">): boolean =>
  database.one(
    `SELECT 1 FROM blob_refs r JOIN sessions s ON s.key = r.session
     WHERE r.hash = ? AND s.id IS NOT NULL AND s.user = ? AND s.user <> '' LIMIT 1`,
    hash,
    user,
  ) !== undefined;

const DAY = 24 * 60 * 60_000;

/** Deletes what was left behind by processes that died: a shard of the blobs each time, the rest with the first. */
export function sweep(
  { database, blobs, saved }: OperationContext,
  { now, shard }: StoreInput<"sweep">,
): void {
  const before = now - DAY;
  if (shard === "00") {
    sweepCommands(database, now);
    sweepFeed(database, now);
    database.run("DELETE FROM blob_claims WHERE at < ?", before);
    saved.removeLeftovers({
      before,
      isKnown: (host) => database.one("SELECT 1 FROM hosts WHERE id = ?", host) !== undefined,
    });
  }
  blobs.deleteLeftovers(shard, { before, isUsed: (hash) => !isUnusedBlob(database, hash) });
}
