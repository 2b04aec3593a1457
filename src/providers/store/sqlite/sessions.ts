import { type Head, type ListQuery, STATE_VERSION } from "../../../core/index.ts";
import type { HostEntry, SessionEntry } from "../operations.ts";
import { hiddenMarks, MARK, type StateEntry } from "../state-entry.ts";
import { stateChecksum } from "./checksum.ts";
import { integer, type ResultRow, optionalInteger, optionalText, text } from "./columns.ts";
import { isDamage } from "./damage.ts";
import type { Database } from "./database.ts";
import { HOST_COLUMNS, holderOf } from "./host-entry.ts";

/** A session's line, as far as appending and reading need it. */
export interface SessionHead {
  readonly key: number;
  readonly head: Head;
  readonly damagedAt: number | undefined;
}

export function findSession(database: Database, id: string): SessionHead | undefined {
  const line = database.one("SELECT key, n, seq, damaged_at FROM sessions WHERE id = ?", id);
  return (
    line && {
      key: integer(line, "key"),
      head: { n: integer(line, "n"), seq: integer(line, "seq") },
      damagedAt: optionalInteger(line, "damaged_at"),
    }
  );
}

/** @returns the new session's key, or `undefined` when the id is taken */
export function insertSession(database: Database, id: string, state: StateEntry): number | undefined {
  if (database.one("SELECT 1 FROM sessions WHERE id = ?", id) !== undefined) return undefined;
  const line = database.one(
    `INSERT INTO sessions (id, n, seq, ${LISTED.join(", ")})
     VALUES (?, ?, ?, ${LISTED.map(() => "?").join(", ")}) RETURNING key`,
    id,
    state.n,
    state.seq,
    ...listed(state, state.marks),
  );
  const key = integer(line ?? {}, "key");
  storeState(database, { key, id }, state);
  return key;
}

const listed = (state: StateEntry, marks: number): (string | number)[] => [
  state.activeAt,
  marks,
  state.platform,
  state.source,
  state.cwd,
  state.title,
  state.words,
  state.waiting,
];

const LISTED = ["active_at", "marks", "platform", "source", "cwd", "title", "words", "waiting"];

/** Moves a session's head and stores the state that belongs to it. */
export function updateSession(
  database: Database,
  session: { readonly key: number; readonly id: string },
  state: StateEntry,
): void {
  const { key } = session;
  const line = database.one(`SELECT ${LISTED.join(", ")} FROM sessions WHERE key = ?`, key) ?? {};
  // That a session is a subagent's is decided when it is made.
  const marks = state.marks | (integer(line, "marks") & MARK.child);
  const values = listed(state, marks);
  database.run("UPDATE sessions SET n = ?, seq = ? WHERE key = ?", state.n, state.seq, key);
  // Naming an indexed column in an update writes its index, changed or not.
  if (LISTED.some((column, index) => line[column] !== values[index])) {
    database.run(
      `UPDATE sessions SET ${LISTED.map((column) => `${column} = ?`).join(", ")} WHERE key = ?`,
      ...values,
      key,
    );
  }
  storeState(database, session, state);
}

/** Stores a state beside a head that stays as it is. */
export function storeState(
  database: Database,
  { key, id }: { readonly key: number; readonly id: string },
  { version, body, n, seq }: Pick<StateEntry, "version" | "body" | "n" | "seq">,
): void {
  database.run(
    `INSERT INTO states (session, version, body, crc) VALUES (?, ?, ?, ?)
     ON CONFLICT (session) DO UPDATE SET version = excluded.version, body = excluded.body, crc = excluded.crc`,
    key,
    version,
    body,
    stateChecksum({ id, n, seq, version, body }),
  );
}

const RECORD = `
  SELECT s.id AS session_id, s.n, s.seq, s.damaged_at, t.version, t.body, t.crc, l.host AS holder, ${HOST_COLUMNS}
  FROM sessions s
    LEFT JOIN states t ON t.session = s.key
    LEFT JOIN leases l ON l.session = s.key
    LEFT JOIN hosts h ON h.id = l.host
`;

export function findSessionEntry(database: Database, id: string): SessionEntry | undefined {
  try {
    const line = database.one(`${RECORD} WHERE s.id = ?`, id);
    return line && sessionEntry(line);
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return { id, stale: false, damaged: true };
  }
}

function sessionEntry(line: ResultRow): SessionEntry {
  const id = text(line, "session_id");
  const damaged = line["damaged_at"] !== null;
  const holder = holderOf(line, "holder");
  const state = soundState(line, id);
  return {
    id,
    damaged,
    stale: state === undefined,
    ...(state === undefined ? {} : { state }),
    ...(holder === undefined ? {} : { holder }),
  };
}

/** The stored state, when this version made it and it is what was stored. */
function soundState(line: ResultRow, id: string): string | undefined {
  const version = optionalInteger(line, "version");
  const body = optionalText(line, "body");
  if (version !== STATE_VERSION || body === undefined) return undefined;
  const sum = stateChecksum({ id, n: integer(line, "n"), seq: integer(line, "seq"), version, body });
  return sum === line["crc"] ? body : undefined;
}

/** The newest sessions that a query wants, found by indexes alone. */
export function findSessions(database: Database, query: ListQuery): readonly SessionEntry[] {
  const { sql, values } = selection(query);
  const keys = database.all(sql, ...values, query.limit, query.offset);
  return keys.map((line) => sessionEntryByKey(database, integer(line, "key")));
}

function selection(query: ListQuery): { readonly sql: string; readonly values: (string | number)[] } {
  const hidden = hiddenMarks(query);
  const everyMark = Object.values(MARK).reduce((all, mark) => all | mark, 0);
  // The very words of the partial index, so that it is found.
  const where = [hidden === everyMark ? "marks = 0" : `(marks & ${hidden}) = 0`];
  if (query.archived === "only") where.push(`(marks & ${MARK.archived}) <> 0`);
  const values: (string | number)[] = [];
  for (const column of ["platform", "source", "cwd", "title"] as const) {
    const value = query[column];
    if (value === undefined) continue;
    where.push(`${column} = ?`);
    values.push(value);
  }
  if (query.title !== undefined) where.push("title <> ''");
  if (query.search !== undefined) {
    where.push("instr(words, ?) > 0");
    values.push(query.search);
  }
  if (query.activeBefore !== undefined) {
    where.push("active_at < ?");
    values.push(query.activeBefore);
  }
  if (query.waiting === true) where.push("waiting = 1");
  const sql = `SELECT key FROM sessions WHERE ${where.join(" AND ")} ORDER BY active_at DESC, key DESC LIMIT ? OFFSET ?`;
  return { sql, values };
}

/** A damaged page hides no session: its id stands in the index of ids too. */
function sessionEntryByKey(database: Database, key: number): SessionEntry {
  try {
    return sessionEntry(database.one(`${RECORD} WHERE s.key = ?`, key) ?? {});
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    const line = database.one(
      "SELECT id FROM sessions INDEXED BY sqlite_autoindex_sessions_1 WHERE key = ?",
      key,
    );
    return { id: text(line ?? {}, "id"), stale: false, damaged: true };
  }
}

/** The host that holds a session, if any. */
export function findHolder(database: Database, id: string): HostEntry | undefined {
  const line = database.one(
    `SELECT l.host AS holder, ${HOST_COLUMNS} FROM sessions s
       JOIN leases l ON l.session = s.key LEFT JOIN hosts h ON h.id = l.host
     WHERE s.id = ?`,
    id,
  );
  return line && holderOf(line, "holder");
}
