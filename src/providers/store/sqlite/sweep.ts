import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { isBlobHash } from "../blob-store.ts";
import { sweepCommands } from "./commands.ts";
import { isFree } from "./blobs.ts";
import type { Site } from "./operation-context.ts";

const HASH_LENGTH = 64;
const DAY = 24 * 60 * 60_000;

/** Deletes what was left behind by processes that died: a shard of the blobs each time, the rest with the first. */
export function sweep(site: Site, { now, shard }: { readonly now: number; readonly shard: string }): void {
  const { database } = site;
  if (shard === "00") {
    sweepCommands(database, now);
    database.run("DELETE FROM blob_claims WHERE at < ?", now - DAY);
  }
  const folder = join(site.blobFolder, shard);
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    // A draft has its blob's name and some more.
    const hash = name.slice(0, HASH_LENGTH);
    if (isBlobHash(hash) && !isFree(database, hash)) continue;
    if (modifiedAt(path) < now - DAY) rmSync(path, { force: true });
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

/** Infinity for what is gone already. */
function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
}
