import { blobNotFound } from "../../../core/index.ts";
import { blobDamaged, blobHash, type BlobStore } from "../blob-store.ts";
import type { StoreInput } from "../operations.ts";
import { integer, storedText } from "./columns.ts";
import type { Connections, Sql } from "./connections.ts";
import type { PostgresContext } from "./context.ts";
import { statement } from "./statement.ts";

const CHUNK = 256 * 1024;
/** Chunks read at once: their bytes come as text of twice the length. */
const PAGE = 16;

const PUT_SMALL = statement(
  "put_blob",
  `
  WITH put AS (
    INSERT INTO blobs (hash, size, chunks) VALUES ($1, $2, 1) ON CONFLICT (hash) DO NOTHING RETURNING hash
  )
  INSERT INTO blob_chunks (hash, number, bytes) SELECT hash, 0, $3::bytea FROM put
  `,
);
const HAS_BLOB = statement("has_blob", "SELECT 1 FROM blobs WHERE hash = $1");
const PUT_LARGE = statement(
  "put_large_blob",
  "INSERT INTO blobs (hash, size, chunks) VALUES ($1, $2, $3) ON CONFLICT (hash) DO NOTHING RETURNING 1",
);
const PUT_CHUNK = statement("put_chunk", "INSERT INTO blob_chunks (hash, number, bytes) VALUES ($1, $2, $3)");
const GET = statement(
  "get_blob",
  `
  SELECT b.chunks, c.number, c.bytes
  FROM blobs b LEFT JOIN blob_chunks c ON c.hash = b.hash AND c.number >= $2 AND c.number < $3
  WHERE b.hash = $1 ORDER BY c.number
  `,
);

/** Blobs in the database, each in one transaction: half of one is never there. */
export function databaseBlobs(sql: Connections): BlobStore {
  return {
    async put(hash, bytes) {
      if (bytes.byteLength <= CHUNK) await sql.query(PUT_SMALL, [hash, bytes.byteLength, bytes]);
      else if ((await sql.query(HAS_BLOB, [hash])).length === 0)
        await sql.transaction((within) => putLarge(within, hash, bytes));
    },
    async get(hash) {
      const bytes = Buffer.concat(await readChunks(sql, hash));
      if ((await blobHash(bytes)) !== hash) throw blobDamaged(hash, `the database ${sql.where}`);
      return bytes;
    },
  };
}

async function putLarge(sql: Sql, hash: string, bytes: Uint8Array): Promise<void> {
  const chunks = Math.ceil(bytes.byteLength / CHUNK);
  // Another host that is just putting it is waited for.
  if ((await sql.query(PUT_LARGE, [hash, bytes.byteLength, chunks])).length === 0) return;
  for (let number = 0; number < chunks; number += 1)
    await sql.query(PUT_CHUNK, [hash, number, bytes.subarray(number * CHUNK, (number + 1) * CHUNK)]);
}

async function readChunks(sql: Sql, hash: string): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for (let from = 0, all = 1; from < all; from += PAGE) {
    const rows = await sql.query(GET, [hash, from, from + PAGE]);
    const [first] = rows;
    if (first === undefined) throw blobNotFound(hash);
    all = integer(first, "chunks");
    for (const { bytes } of rows) if (bytes instanceof Uint8Array) chunks.push(bytes);
  }
  return chunks;
}

/** Whoever deletes the blob holds its row: the claim is there before it looks, or the blob is gone before it is put. */
const CLAIM = statement(
  "claim_blob",
  `
  WITH there AS MATERIALIZED (
    SELECT hash FROM blobs WHERE hash = $1 FOR KEY SHARE
  )
  INSERT INTO blob_claims (hash, host, at, count)
  SELECT $1, $2, $3::bigint, 1 FROM (SELECT count(*) FROM there) AS looked
  ON CONFLICT (hash, host) DO UPDATE SET at = excluded.at, count = greatest(blob_claims.count, 0) + 1
  `,
);

/** Protects a blob that no row names yet from deletion; one claim for each row that will name it. */
export async function claimBlob(
  { sql, host }: Pick<PostgresContext, "sql" | "host">,
  { hash, now }: StoreInput<"claimBlob">,
): Promise<void> {
  await sql.query(CLAIM, [hash, host.id, now]);
}

const NAMES = statement(
  "names_blob",
  `SELECT 1 FROM blob_refs r JOIN sessions s ON s.key = r.session
   WHERE r.hash = $1 AND s.id IS NOT NULL AND s."user" = $2 AND s."user" <> '' LIMIT 1`,
);

/** Whether a session of a user names a blob. */
export async function namesBlob(
  { sql }: Pick<PostgresContext, "sql">,
  { hash, user }: StoreInput<"namesBlob">,
): Promise<boolean> {
  return (await sql.query(NAMES, [storedText(hash), storedText(user)])).length > 0;
}

const LOCK = statement(
  "lock_blobs",
  "SELECT 1 FROM blobs WHERE hash = ANY ($1::text[]) ORDER BY hash FOR UPDATE",
);
const DELETE = statement(
  "delete_unused_blobs",
  `
  DELETE FROM blobs b WHERE hash = ANY ($1::text[]) AND NOT EXISTS (SELECT 1 FROM blob_refs r WHERE r.hash = b.hash)
    AND NOT EXISTS (SELECT 1 FROM blob_claims c WHERE c.hash = b.hash AND c.count > 0)
  `,
);

/**
 * Deletes those of the blobs that no session names and no host is about to, within a transaction. Their rows are locked first, and
 * looked at by the next statement: whoever claimed one before is seen then, and whoever comes after waits, and puts it again.
 */
export async function deleteUnusedBlobs(sql: Sql, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await sql.query(LOCK, [hashes]);
  await sql.query(DELETE, [hashes]);
}
