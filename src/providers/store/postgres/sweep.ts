import type { StoreInput } from "../operations.ts";
import { deleteUnusedBlobs } from "./blobs.ts";
import { text } from "./columns.ts";
import { sweepCommands } from "./commands.ts";
import type { PostgresContext } from "./context.ts";
import { sweepFeed } from "./feed.ts";
import { statement } from "./statement.ts";

const DAY = 24 * 60 * 60_000;
/** Blobs that are deleted in one transaction. */
const STEP = 200;

const SWEEP_CLAIMS = statement("sweep_claims", "DELETE FROM blob_claims WHERE at < $1 OR count <= 0");
/** Text that was saved while its session was being removed. */
const SWEEP_PIECES = statement(
  "sweep_pieces",
  "DELETE FROM pieces p WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.key = p.session)",
);
/** Who copies a home puts blobs before the rows that name them: those of a day are left alone. */
const UNUSED = statement(
  "unused_blobs",
  `
  SELECT hash FROM blobs b WHERE put_at < now() - interval '1 day'
    AND NOT EXISTS (SELECT 1 FROM blob_refs r WHERE r.hash = b.hash)
    AND NOT EXISTS (SELECT 1 FROM blob_claims c WHERE c.hash = b.hash AND c.count > 0)
  LIMIT $1
  `,
);

/** Deletes what was left behind by hosts that died, all of it with the first shard: nobody waits for it here. */
export async function sweep(
  { sql }: Pick<PostgresContext, "sql">,
  { now, shard }: StoreInput<"sweep">,
): Promise<void> {
  if (shard !== "00") return;
  await sweepCommands({ sql }, now);
  await sweepFeed({ sql }, now);
  await sql.query(SWEEP_CLAIMS, [now - DAY]);
  await sql.query(SWEEP_PIECES);
  for (;;) {
    const unused = await sql.query(UNUSED, [STEP]);
    const hashes = unused.map((row) => text(row, "hash"));
    await sql.transaction((within) => deleteUnusedBlobs(within, hashes), true);
    if (hashes.length < STEP) return;
  }
}
