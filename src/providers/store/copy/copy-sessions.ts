import { HostError } from "../../../shared/errors/host-error.ts";
import { rowChecksum } from "../sqlite/checksum.ts";
import { integer, type ResultRow, storedText, text } from "../postgres/columns.ts";
import type { Connections, Sql } from "../postgres/connections.ts";
import { statement } from "../postgres/statement.ts";
import type { SourceHome, SourceRow, SourceSession } from "./source-home.ts";

/** Rows of one statement, and sessions that are looked up together. */
const PAGE = 500;

/** The host that sessions belong to whose driver had died: nobody's any more, and so anybody may take them over. */
const GONE = "host_copied";

const TOMBSTONE = statement(
  "copy_tombstone",
  `INSERT INTO hosts (id, machine_id, boot_id, pid_namespace, pid, started_at, beat, beat_at, ended, epoch)
   VALUES ($1, '', '', '', 0, '', 0, now(), true, 0) ON CONFLICT (id) DO NOTHING`,
);
const THERE = statement(
  "copy_there",
  `SELECT s.id, s.n, s.seq, s.active_at, s.marks, s.title, t.crc FROM sessions s LEFT JOIN states t ON t.session = s.key
   WHERE s.id = ANY ($1::text[])`,
);
const REMOVE = statement(
  "copy_remove",
  `WITH gone AS (SELECT key FROM sessions WHERE id = $1), rows_gone AS (
     DELETE FROM rows r USING gone WHERE r.session = gone.key
   ), pieces_gone AS (
     DELETE FROM pieces p USING gone WHERE p.session = gone.key
   )
   DELETE FROM sessions s USING gone WHERE s.key = gone.key`,
);
const ADD = statement(
  "copy_session",
  `INSERT INTO sessions (id, n, seq, host, fence, reserved, damaged_at, active_at, marks, platform, source, cwd, title, words,
     waiting, doing, "user", people)
   SELECT $1, $2, $3, $4, nextval('fences'), $5, $6, c.* FROM json_to_record($7::json) AS c (
     active_at bigint, marks int, platform text, source text, cwd text, title text, words text, waiting int, doing text,
     "user" text, people text)
   RETURNING key, fence`,
);
const ADD_STATE = statement(
  "copy_state",
  "INSERT INTO states (session, version, body, crc) VALUES ($1, $2, $3, $4)",
);
const ADD_ROWS = statement(
  "copy_rows",
  `INSERT INTO rows (session, seq, n, at, type, mid, body, crc)
   SELECT $1, r.seq, r.n, r.at, r.type, r.mid, r.body, r.crc
   FROM json_to_recordset($2::json) AS r (seq bigint, n int, at bigint, type text, mid bool, body text, crc bigint)`,
);
const ADD_PIECES = statement(
  "copy_pieces",
  `INSERT INTO pieces (session, fence, "cursor", kind, text)
   SELECT $1, $2, p."cursor", p.kind, p.text FROM json_to_recordset($3::json) AS p ("cursor" bigint, kind text, text text)`,
);
const ADD_BLOBS = statement(
  "copy_blob_refs",
  "INSERT INTO blob_refs (hash, session) SELECT hash, $1 FROM unnest($2::text[]) AS hash",
);
const ROWS = statement(
  "copy_read_rows",
  "SELECT seq, n, at, type, mid, body, crc FROM rows WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3",
);
const OTHERS = statement(
  "copy_others",
  "SELECT id FROM sessions WHERE id IS NOT NULL AND NOT id = ANY ($1::text[]) ORDER BY key LIMIT 1000",
);

/** A function that is told of each session that was copied. */
export type SessionCopied = (session: { readonly rows: number; readonly wasThere: boolean }) => Promise<void>;

/** Copies all sessions, each as one; those that are there already, and as they are in the home, are left. */
export async function copySessions(
  source: SourceHome,
  target: Connections,
  copied: SessionCopied,
): Promise<void> {
  await target.query(TOMBSTONE, [GONE]);
  let after = 0;
  for (;;) {
    const sessions = source.sessions(after, PAGE);
    const there = await target.query(THERE, [sessions.map(({ id }) => storedText(id))]);
    const known = new Map(there.map((row) => [text(row, "id"), row]));
    for (const session of sessions) {
      const wasThere = isSame(known.get(session.id), session);
      if (!wasThere) await target.transaction((sql) => copySession(source, session, sql));
      await copied({ rows: session.n, wasThere });
    }
    after = sessions.at(-1)?.key ?? after;
    if (sessions.length < PAGE) return;
  }
}

/** Removes what an earlier run has copied and the home has lost since. */
export async function removeOtherSessions(source: SourceHome, target: Connections): Promise<void> {
  const ids: string[] = [];
  for (let after = 0; ;) {
    const page = source.sessions(after, PAGE);
    ids.push(...page.map(({ id }) => storedText(id)));
    after = page.at(-1)?.key ?? after;
    if (page.length < PAGE) break;
  }
  for (;;) {
    const others = await target.query(OTHERS, [ids]);
    if (others.length === 0) return;
    for (const other of others) await target.transaction((sql) => sql.query(REMOVE, [other["id"]]));
  }
}

/** A session is written as one: whose head and state are there, has all its rows. */
function isSame(there: ResultRow | undefined, session: SourceSession): boolean {
  if (there === undefined) return false;
  const { n, seq, columns, state } = session;
  return (
    integer(there, "n") === n &&
    integer(there, "seq") === seq &&
    there["active_at"] === columns["active_at"] &&
    there["marks"] === columns["marks"] &&
    text(there, "title") === columns["title"] &&
    (there["crc"] ?? undefined) === state?.crc
  );
}

async function copySession(source: SourceHome, session: SourceSession, sql: Sql): Promise<void> {
  const { id, n, seq, damagedAt, columns, state, held, reserved } = session;
  await sql.query(REMOVE, [storedText(id)]);
  const listed = Object.fromEntries(
    Object.entries(columns).map(([name, value]) => [
      name,
      typeof value === "string" ? storedText(value) : value,
    ]),
  );
  const host = held ? GONE : null;
  const values = [storedText(id), n, seq, host, reserved, damagedAt ?? null, JSON.stringify(listed)];
  const [made = {}] = await sql.query(ADD, values);
  const key = integer(made, "key");
  if (state !== undefined) await sql.query(ADD_STATE, [key, state.version, state.body, state.crc]);
  for (let after = 0; ;) {
    const rows = source.rows(session.key, after, PAGE);
    if (rows.length > 0) await sql.query(ADD_ROWS, [key, JSON.stringify(rows.map(storedRow))]);
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < PAGE) break;
  }
  const pieces = source.pieces(session).map((piece) => ({ ...piece, text: storedText(piece.text) }));
  await sql.query(ADD_PIECES, [key, integer(made, "fence"), JSON.stringify(pieces)]);
  await sql.query(ADD_BLOBS, [key, source.blobsOf(session.key)]);
  await verify(source, session, { sql, key });
}

/** A damaged row may hold what no row of ours does. */
const storedRow = (row: SourceRow): SourceRow =>
  rowChecksum(row) === row.crc ? row : { ...row, type: storedText(row.type), body: storedText(row.body) };

/** Reads back what was written, row by row, and compares it with what the home has. */
async function verify(
  source: SourceHome,
  session: SourceSession,
  { sql, key }: { readonly sql: Sql; readonly key: number },
): Promise<void> {
  for (let after = 0; ;) {
    const rows = source.rows(session.key, after, PAGE).map(storedRow);
    const written = await sql.query(ROWS, [key, after, PAGE]);
    const isSound =
      rows.length === written.length && rows.every((row, index) => isEqual(row, written[index]));
    if (!isSound)
      throw new HostError(
        "store_corrupt",
        `Session ${session.id} did not arrive as it was sent, behind cursor ${after}. Nothing of it was kept: look at the database's log, then run the copy again.`,
      );
    after = rows.at(-1)?.seq ?? after;
    if (rows.length < PAGE) return;
  }
}

function isEqual(row: SourceRow, written: ResultRow | undefined): boolean {
  if (written === undefined) return false;
  const { n, seq, at, type, mid, body, crc } = row;
  const read = {
    n: integer(written, "n"),
    seq: integer(written, "seq"),
    at: integer(written, "at"),
    type: String(written["type"]),
    mid: written["mid"] === true,
    body: String(written["body"]),
  };
  const isSame = read.n === n && read.seq === seq && read.at === at && read.type === type && read.mid === mid;
  return isSame && read.body === body && written["crc"] === crc;
}
