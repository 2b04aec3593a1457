import type { Piece } from "../../../core/index.ts";
import type { SavedPiece } from "../pieces/saved-pieces.ts";
import { integer, type ResultRow, nullableInteger, text } from "./columns.ts";
import type { Database } from "./database.ts";
import type { OperationContext } from "./operation-context.ts";
import type { SessionHead } from "./sessions.ts";

type PieceContext = Pick<OperationContext, "database" | "saved">;

/** Reads all streamed text that no row holds yet. */
export const piecesOf = (context: PieceContext, session: SessionHead): readonly Piece[] =>
  piecesAfter(context, session, 0);

/**
 * Reads the streamed text that no row holds yet. A reader inside of it gets the pieces that reach beyond its cursor. A
 * reader at the last row gets all pieces, because a row in the middle of a reply has text before it.
 */
export function piecesAfter(context: PieceContext, session: SessionHead, after: number): readonly Piece[] {
  const { database } = context;
  const { key, head } = session;
  const found =
    after <= head.seq
      ? database.all("SELECT cursor, kind, text FROM pieces WHERE session = ? ORDER BY cursor", key)
      : database.all(
          `SELECT cursor, kind, text FROM pieces WHERE session = ?1 AND cursor >= coalesce(
             (SELECT max(cursor) FROM pieces WHERE session = ?1 AND cursor <= ?2), 0) ORDER BY cursor`,
          key,
          after,
        );
  const stored = found.map(decodePiece);
  // After the database: what was saved since belongs to a later look, as its number of rows or its place says.
  const beside = uncovered(savedBeside(context, session, after <= head.seq ? 0 : after), stored);
  const all = beside.length === 0 ? stored : [...stored, ...beside].sort((a, b) => a.cursor - b.cursor);
  return after <= head.seq ? all : all.filter(({ cursor, text }) => cursor + text.length > after);
}

const decodePiece = (raw: ResultRow): Piece => ({
  cursor: integer(raw, "cursor"),
  kind: raw["kind"] === "reasoning" ? "reasoning" : "text",
  text: text(raw, "text"),
});

/** The pieces beside the database that are not in it: a write that failed halfway leaves some that then went into it. */
function uncovered(beside: readonly Piece[], stored: readonly Piece[]): readonly Piece[] {
  let end = 0;
  let next = 0;
  return beside.filter(({ cursor }) => {
    for (let piece = stored[next]; piece !== undefined && piece.cursor <= cursor; piece = stored[(next += 1)])
      end = piece.cursor + piece.text.length;
    return cursor >= end;
  });
}

/** The text of the reply that streams, as far as the session's owner has saved it beside the database. */
function savedBeside(context: PieceContext, { key, head }: SessionHead, after: number): readonly Piece[] {
  const { database, saved } = context;
  const lease = database.one("SELECT host, fence FROM leases WHERE session = ? AND host IS NOT NULL", key);
  if (lease === undefined) return [];
  const pieces = saved.of(text(lease, "host"), integer(lease, "fence"));
  // Who follows has most of it: only the end is looked at.
  const from = Math.max(
    0,
    pieces.findLastIndex(({ cursor }) => cursor <= after),
  );
  return newest(database, { key, n: head.n }, pieces.slice(from));
}

/** Those that no row holds and that were saved after no more rows than the session has in this transaction. */
function newest(
  database: Database,
  { key, n }: { readonly key: number; readonly n: number },
  pieces: readonly SavedPiece[],
): readonly Piece[] {
  if (pieces.length === 0) return [];
  // A row in the middle of a reply holds no text: the last one that is not holds all text before it.
  const row = database.one(
    "SELECT seq FROM rows WHERE session = ? AND mid = 0 ORDER BY seq DESC LIMIT 1",
    key,
  );
  const held = row === undefined ? 0 : integer(row, "seq");
  return pieces
    .filter((piece) => piece.n <= n && piece.cursor >= held)
    .map(({ cursor, kind, text: said }) => ({ cursor, kind, text: said }));
}

/** Moves what a session's owner has saved beside the database into it, before the lease goes to another host. */
export function adoptPieces(
  context: OperationContext,
  { key, host, fence }: { readonly key: number; readonly host: string; readonly fence: number },
): void {
  const { database, saved } = context;
  saved.seal(host);
  const n = database.integer("n", "SELECT n FROM sessions WHERE key = ?", key);
  const stored = database
    .all("SELECT cursor, kind, text FROM pieces WHERE session = ? ORDER BY cursor", key)
    .map(decodePiece);
  for (const piece of uncovered(newest(database, { key, n }, saved.of(host, fence)), stored))
    database.insert("pieces", { session: key, ...piece });
}

/** Where a session's streamed text ends, as far as it is saved beside the database by another host. */
export function endBeside({ host, saved }: OperationContext, lease: ResultRow): number {
  const owner = lease["host"];
  if (typeof owner !== "string" || owner === host.id) return 0;
  return saved.lastOf(owner, nullableInteger(lease, "fence") ?? 0);
}
