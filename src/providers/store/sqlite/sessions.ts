import { type Head, type ListQuery, type SessionFilter, STATE_VERSION } from "../../../core/index.ts";
import type { HostEntry, SessionEntry } from "../operations.ts";
import { hiddenMarks, MARK, type StateEntry } from "../state-entry.ts";
import { defined } from "../../../shared/json/defined.ts";
import { stateChecksum } from "./checksum.ts";
import { integer, type ResultRow, nullableInteger, nullableText, text } from "./columns.ts";
import { isDamage } from "./failure.ts";
import type { Database } from "./database.ts";
import { HOST_COLUMNS, holderOf } from "./host-entry.ts";

/** The head of a session, as appending and reading need it. */
export interface SessionHead {
  readonly key: number;
  readonly head: Head;
  readonly damagedAt: number | undefined;
}

export function findSession(database: Database, id: string): SessionHead | undefined {
  const row = database.one("SELECT key, n, seq, damaged_at FROM sessions WHERE id = ?", id);
  return (
    row && {
      key: integer(row, "key"),
      head: { n: integer(row, "n"), seq: integer(row, "seq") },
      damagedAt: nullableInteger(row, "damaged_at"),
    }
  );
}

/** @returns the new session's key, or `undefined` when the id is taken */
export function insertSession(database: Database, id: string, state: StateEntry): number | undefined {
  if (database.one("SELECT 1 FROM sessions WHERE id = ?", id) !== undefined) return undefined;
  const { n, seq, columns } = state;
  const key = database.insert("sessions", { id, n, seq, ...columns });
  storeState(database, { key, id }, state);
  return key;
}

/** Moves a session's head and stores the state that belongs to it. */
export function updateSession(
  database: Database,
  session: { readonly key: number; readonly id: string },
  state: StateEntry,
): void {
  const { key } = session;
  const { n, seq } = state;
  const row =
    database.one(`SELECT ${Object.keys(state.columns).join(", ")} FROM sessions WHERE key = ?`, key) ?? {};
  // The mark of a subagent's session never changes after it is made.
  const columns = { ...state.columns, marks: state.columns.marks | (integer(row, "marks") & MARK.child) };
  const changed = Object.entries(columns).some(([column, value]) => row[column] !== value);
  // An update writes the index of each column that it names, even when the value stays.
  database.update("sessions", changed ? { n, seq, ...columns } : { n, seq }, { key });
  storeState(database, session, state);
}

/** Stores a state beside a head that stays as it is. */
export function storeState(
  database: Database,
  { key, id }: { readonly key: number; readonly id: string },
  { version, body, n, seq }: Pick<StateEntry, "version" | "body" | "n" | "seq">,
): void {
  const row = { session: key, version, body, crc: stateChecksum(id, { n, seq, version, body }) };
  const replace =
    "ON CONFLICT (session) DO UPDATE SET version = excluded.version, body = excluded.body, crc = excluded.crc";
  database.insert("states", row, replace);
}

/** Marks a session's first row that cannot be read, so that lists show it without reading rows. */
export function markDamaged(database: Database, key: number, n: number): void {
  database.run("UPDATE sessions SET damaged_at = min(coalesce(damaged_at, ?1), ?1) WHERE key = ?2", n, key);
}

const RECORD = `
  SELECT s.id AS session_id, s.n, s.seq, s.damaged_at, t.version, t.body, t.crc, l.host AS holder, ${HOST_COLUMNS}
  FROM sessions s
    LEFT JOIN states t ON t.session = s.key
    LEFT JOIN leases l ON l.session = s.key
    LEFT JOIN hosts h ON h.id = l.host
`;

/** @param user - only if it is theirs; nothing is told then of one that cannot be read */
export function findSessionEntry(
  database: Database,
  { session: id, user }: { readonly session: string; readonly user?: string },
): SessionEntry | undefined {
  try {
    const row =
      user === undefined
        ? database.one(`${RECORD} WHERE s.id = ?`, id)
        : database.one(`${RECORD} WHERE s.id = ? AND s.user = ? AND s.user <> ''`, id, user);
    return row && sessionEntry(row);
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    if (user !== undefined) return undefined;
    return { id, stale: false, damaged: true };
  }
}

function sessionEntry(row: ResultRow): SessionEntry {
  const id = text(row, "session_id");
  const damaged = row["damaged_at"] !== null;
  const holder = holderOf(row, "holder");
  const state = soundState(row, id);
  return defined({ id, damaged, stale: state === undefined, state, holder });
}

/** The stored state, when this version wrote it and it is undamaged. */
function soundState(row: ResultRow, id: string): string | undefined {
  const version = nullableInteger(row, "version");
  const body = nullableText(row, "body");
  if (version !== STATE_VERSION || body === undefined) return undefined;
  const sum = stateChecksum(id, { n: integer(row, "n"), seq: integer(row, "seq"), version, body });
  return sum === row["crc"] ? body : undefined;
}

/** Finds the newest sessions of a query, by indexes alone. */
export function findSessions(database: Database, query: ListQuery): readonly SessionEntry[] {
  const { sql, values } = selection(query);
  const keys = database.all(sql, ...values, query.limit, query.offset);
  return keys.map((row) => sessionEntryByKey(database, integer(row, "key")));
}

/** Characters of the time in an id of the host's own form, `YYYYMMDD_HHMMSS_` and six digits. */
const TIME_LENGTH = 16;

/** Conditions of a query, and the values in them. */
interface Conditions {
  readonly where: string[];
  readonly values: (string | number)[];
}

/** The conditions on the columns of sessions that choose which of them may be shown at all. */
export function filterOf(query: SessionFilter): Conditions {
  const hidden = hiddenMarks(query);
  const everyMark = Object.values(MARK).reduce((all, mark) => all | mark, 0);
  // The same words as in the partial index: SQLite uses it only then.
  const where = [hidden === everyMark ? "marks = 0" : `(marks & ${hidden}) = 0`];
  if (query.archived === "only") where.push(`(marks & ${MARK.archived}) <> 0`);
  const values: (string | number)[] = [];
  for (const column of ["platform", "source", "cwd"] as const) {
    const value = query[column];
    if (value === undefined) continue;
    where.push(`${column} = ?`);
    values.push(value);
  }
  if (query.doing !== undefined) {
    // The condition of the partial index, in its words.
    where.push("doing = ? AND doing <> ''");
    values.push(query.doing);
  }
  if (query.user !== undefined) {
    // The condition of the partial index, in its words.
    where.push("user = ? AND user <> ''");
    values.push(query.user);
  }
  if (query.person !== undefined) {
    where.push("instr(people, ?) > 0");
    values.push(`\n${query.person}\n`);
  }
  return { where, values };
}

function selection(query: ListQuery): { readonly sql: string; readonly values: (string | number)[] } {
  const { where, values } = filterOf(query);
  if (query.title !== undefined) {
    where.push("title = ? AND title <> ''");
    values.push(query.title);
  }
  if (query.idPart !== undefined) {
    where.push(`(instr(id, ?) = 1 OR instr(substr(id, ${TIME_LENGTH + 1}), ?) = 1)`);
    values.push(query.idPart, query.idPart);
  }
  if (query.search !== undefined) {
    where.push("instr(words, ?) > 0");
    values.push(query.search);
  }
  if (query.activeBefore !== undefined) {
    where.push("active_at < ?");
    values.push(query.activeBefore);
  }
  if (query.waiting === true) where.push("waiting = 1");
  if (query.unowned === true) where.push("key NOT IN (SELECT session FROM leases WHERE host IS NOT NULL)");
  if (query.below !== undefined) {
    where.push("(active_at, key) < (?, coalesce((SELECT key FROM sessions WHERE id = ?), 0))");
    values.push(query.below.activeAt, query.below.id);
  }
  const sql = `SELECT key FROM sessions WHERE ${where.join(" AND ")} ORDER BY active_at DESC, key DESC LIMIT ? OFFSET ?`;
  return { sql, values };
}

/** Reads a session by its key. A damaged page hides no session: the index of ids has its id too. */
function sessionEntryByKey(database: Database, key: number): SessionEntry {
  try {
    return sessionEntry(database.one(`${RECORD} WHERE s.key = ?`, key) ?? {});
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    const row = database.one(
      "SELECT id FROM sessions INDEXED BY sqlite_autoindex_sessions_1 WHERE key = ?",
      key,
    );
    return { id: text(row ?? {}, "id"), stale: false, damaged: true };
  }
}

/** The host that holds a session, if any. */
export function findHolder(database: Database, id: string): HostEntry | undefined {
  const row = database.one(
    `SELECT l.host AS holder, ${HOST_COLUMNS} FROM sessions s
       JOIN leases l ON l.session = s.key LEFT JOIN hosts h ON h.id = l.host
     WHERE s.id = ?`,
    id,
  );
  return row && holderOf(row, "holder");
}
