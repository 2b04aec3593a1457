import { HostError } from "../../../shared/errors/host-error.ts";
import { sessionReplaced } from "../append-rules.ts";
import type { SessionDraft, StoreInput } from "../operations.ts";
import { rowChecksum } from "../sqlite/checksum.ts";
import { askedRows, askedState } from "./append-input.ts";
import { integer, storedText } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { statement } from "./statement.ts";

type Making = Pick<PostgresContext, "sql" | "announce">;

const SESSION_COLUMNS = `n, seq, active_at, marks, platform, source, cwd, title, words, waiting, doing, "user", people`;

/** The new session, $1, and its own rows, $2, as JSON. */
const ASKED = `
  asked AS MATERIALIZED (
    SELECT * FROM json_to_record($1::json) AS a (
      id text, n int, seq bigint, version int, body text, crc bigint, active_at bigint, marks int, platform text, source text,
      cwd text, title text, words text, waiting int, doing text, "user" text, people text)
  )`;

/** What goes with a session that was `made`. */
const PARTS = `
  stated AS (
    INSERT INTO states (session, version, body, crc) SELECT m.key, a.version, a.body, a.crc FROM made m, asked a
  ), added AS (
    INSERT INTO rows (session, seq, n, at, type, mid, body, crc)
    SELECT m.key, r.seq, r.n, r.at, r.type, r.mid, r.body, r.crc
    FROM made m, json_to_recordset($2::json) AS r (
      seq bigint, n int, at bigint, type text, mid bool, body text, crc bigint)
  ), fed AS (
    INSERT INTO feed (session, seq, at)
    SELECT m.key, r.seq, r.at FROM made m, json_to_recordset($2::json) AS r (seq bigint, at bigint, fed bool)
    WHERE r.fed ORDER BY r.seq
  )`;

const CREATE = statement(
  "create_session",
  `
  WITH ${ASKED}, made AS (
    INSERT INTO sessions (id, ${SESSION_COLUMNS}) SELECT id, ${SESSION_COLUMNS} FROM asked
    ON CONFLICT (id) DO NOTHING RETURNING key
  ), ${PARTS}
  SELECT 1 FROM made
  `,
);

const askedSession = ({ id, rows, state }: SessionDraft): readonly string[] => [
  JSON.stringify({ id: storedText(id), ...askedState(id, state) }),
  JSON.stringify(askedRows(rows)),
];

/** Makes a session; `false` when its id is taken. */
export async function createSession({ sql, announce }: Making, draft: SessionDraft): Promise<boolean> {
  const made = await sql.query(CREATE, askedSession(draft));
  if (made.length > 0) announce({ moved: draft.id });
  return made.length > 0;
}

/**
 * Its source, $3, can be written to meanwhile, but not be removed: its rows up to the cursor $4 stay as they are. They must be as many
 * as $5.
 */
const BRANCH = statement(
  "branch_session",
  `
  WITH ${ASKED}, source AS MATERIALIZED (
    SELECT key, damaged_at FROM sessions WHERE id = $3 FOR KEY SHARE
  ), found AS MATERIALIZED (
    SELECT count(*) AS rows FROM source s JOIN rows r ON r.session = s.key WHERE r.seq <= $4
  ), made AS (
    INSERT INTO sessions (id, damaged_at, ${SESSION_COLUMNS})
    SELECT id, CASE WHEN s.damaged_at <= $5::bigint THEN s.damaged_at END, ${SESSION_COLUMNS}
    FROM asked, source s, found WHERE found.rows = $5
    ON CONFLICT (id) DO NOTHING RETURNING key
  ), ${PARTS}, copied AS (
    INSERT INTO rows (session, seq, n, at, type, mid, body, crc)
    SELECT m.key, r.seq, r.n, r.at, r.type, r.mid, r.body, r.crc
    FROM made m, source s JOIN rows r ON r.session = s.key WHERE r.seq <= $4
  ), named AS (
    INSERT INTO blob_refs (hash, session)
    SELECT b.hash, m.key FROM made m, source s JOIN blob_refs b ON b.session = s.key
  )
  SELECT found.rows, EXISTS (SELECT 1 FROM made) AS made FROM source, found
  `,
);

/** Makes a session that begins with another one's rows; `false` when its id is taken. */
export async function branchSession(
  { sql, announce }: Making,
  { from, head, ...draft }: StoreInput<"branch">,
): Promise<boolean> {
  const [row] = await sql.query(BRANCH, [...askedSession(draft), storedText(from), head.seq, head.n]);
  if (row === undefined) throw new HostError("session_not_found", `Session not found: ${from}`);
  if (integer(row, "rows") !== head.n) throw sessionReplaced(from);
  if (row["made"] === true) announce({ moved: draft.id });
  return row["made"] === true;
}

const LAST_ROW = statement(
  "last_row",
  "SELECT r.crc FROM sessions s JOIN rows r ON r.session = s.key WHERE s.id = $1 AND r.seq = $2",
);

/** Whether a session is the one that a draft made: its answer was lost. */
export async function isOwn(
  { sql }: Pick<PostgresContext, "sql">,
  { id, rows }: SessionDraft,
): Promise<boolean> {
  const last = rows.at(-1);
  if (last === undefined) return false;
  const [row] = await sql.query(LAST_ROW, [storedText(id), last.seq]);
  return row?.["crc"] === rowChecksum(last);
}
