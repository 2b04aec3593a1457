import type { Connections } from "./connections.ts";
import { statement } from "./statement.ts";

/** Streamed text of a session that this host drives. */
export interface TextToKeep {
  /** The session's number in the database, and the lease under which the text was saved. */
  readonly key: number;
  readonly fence: number;
  readonly cursor: number;
  readonly kind: string;
  readonly text: string;
}

/** No append to these sessions is under way until the transaction ends. */
const HOLD = statement(
  "hold_sessions",
  "SELECT key FROM sessions WHERE key = ANY ($1::bigint[]) ORDER BY key FOR SHARE",
);

/** What the row that ends a reply holds is not text that streams: it would be read twice. $1 pieces as a JSON array. */
const SAVE_AGAIN = statement(
  "save_again",
  `
  INSERT INTO pieces (session, fence, "cursor", kind, text)
  SELECT p.key, p.fence, p.cursor, p.kind, p.text
  FROM json_to_recordset($1::json) AS p (key bigint, fence bigint, "cursor" bigint, kind text, text text)
    JOIN sessions s ON s.key = p.key AND s.fence = p.fence
  WHERE NOT EXISTS (
    SELECT 1 FROM rows r WHERE r.session = p.key AND r.seq > p.cursor AND r.type = 'reply.complete')
  ON CONFLICT DO NOTHING
  `,
);

/** Saves text again that a crash may have taken from the database: of replies that still stream. */
export async function saveAgain(sql: Connections, asked: readonly TextToKeep[]): Promise<void> {
  if (asked.length === 0) return;
  await sql.transaction(async (within) => {
    await within.query(HOLD, [[...new Set(asked.map(({ key }) => key))]]);
    // A statement of its own: it sees what was committed while the one before waited.
    await within.query(SAVE_AGAIN, [JSON.stringify(asked)]);
  }, true);
}
