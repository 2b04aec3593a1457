import { type ListQuery, type SessionFilter, STATE_VERSION } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HostEntry, SessionEntry, StoreInput } from "../operations.ts";
import { stateChecksum } from "../sqlite/checksum.ts";
import { hiddenMarks, MARK } from "../state-entry.ts";
import { integer, nullableInteger, type ResultRow, storedText, text } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { HOST_COLUMNS, holderOf } from "./host-entry.ts";
import { type Statement, statement } from "./statement.ts";

type Reading = Pick<PostgresContext, "sql" | "lease">;

/** A session with its state and its holder, for a query that names its table `s`. `$1` is the lease. */
const ENTRY_COLUMNS = `s.id AS session_id, s.n, s.seq, s.damaged_at, t.version, t.body, t.crc, s.host AS holder, ${HOST_COLUMNS("$1")}`;
const ENTRY_JOINS = "LEFT JOIN states t ON t.session = s.key LEFT JOIN hosts h ON h.id = s.host";

const FIND = statement(
  "find_session",
  `SELECT ${ENTRY_COLUMNS} FROM sessions s ${ENTRY_JOINS}
   WHERE s.id = $2 AND ($3::text IS NULL OR (s."user" = $3 AND s."user" <> ''))`,
);

/** @param request - with a user: only if it is theirs */
export async function findSession(
  { sql, lease }: Reading,
  { session, user }: StoreInput<"findSession">,
): Promise<SessionEntry | undefined> {
  const values = [lease.ms, storedText(session), user === undefined ? null : storedText(user)];
  const [row] = await sql.query(FIND, values);
  return row && sessionEntry(row);
}

function sessionEntry(row: ResultRow): SessionEntry {
  const id = text(row, "session_id");
  const damaged = nullableInteger(row, "damaged_at") !== undefined;
  const state = soundState(row, id);
  return defined({ id, damaged, stale: state === undefined, state, holder: holderOf(row, "holder") });
}

/** The stored state, when this version wrote it and it is undamaged. */
function soundState(row: ResultRow, id: string): string | undefined {
  const version = nullableInteger(row, "version");
  const { body } = row;
  if (version !== STATE_VERSION || typeof body !== "string") return undefined;
  const sum = stateChecksum(id, { n: integer(row, "n"), seq: integer(row, "seq"), version, body });
  return sum === row["crc"] ? body : undefined;
}

const HOLDER = statement(
  "holder",
  `SELECT s.host AS holder, ${HOST_COLUMNS("$1")} FROM sessions s LEFT JOIN hosts h ON h.id = s.host WHERE s.id = $2`,
);

/** The host that holds a session, if any. */
export async function findHolder(
  { sql, lease }: Reading,
  { session }: StoreInput<"holder">,
): Promise<HostEntry | undefined> {
  const [row] = await sql.query(HOLDER, [lease.ms, storedText(session)]);
  return row && holderOf(row, "holder");
}

/** Finds the newest sessions of a query, whole: the page is chosen by indexes alone, and only then read. */
export async function listSessions(
  { sql, lease }: Reading,
  query: ListQuery,
): Promise<readonly SessionEntry[]> {
  const { where, values } = selection(query, [lease.ms, query.limit, query.offset]);
  const rows = await sql.query(listStatement(where.join(" AND ")), values);
  return rows.map(sessionEntry);
}

/** The statement for each choice of conditions that was ever asked for. */
const lists = new Map<string, Statement>();

function listStatement(where: string): Statement {
  const known = lists.get(where);
  if (known !== undefined) return known;
  const made = statement(
    `list_${lists.size}`,
    `WITH page AS MATERIALIZED (
       SELECT key FROM sessions WHERE ${where} ORDER BY active_at DESC, key DESC LIMIT $2 OFFSET $3
     )
     SELECT ${ENTRY_COLUMNS} FROM page JOIN sessions s USING (key) ${ENTRY_JOINS}
     ORDER BY s.active_at DESC, s.key DESC`,
  );
  lists.set(where, made);
  return made;
}

/** Conditions of a query, and the values in them. */
export interface Conditions {
  readonly where: string[];
  readonly values: (string | number)[];
}

/** The conditions on the columns of sessions that choose which of them may be shown at all, behind the values that are there. */
export function sessionFilter(query: SessionFilter, given: readonly (string | number)[]): Conditions {
  const values = [...given];
  const param = paramsOf(values);
  const hidden = hiddenMarks(query);
  const everyMark = Object.values(MARK).reduce((all, mark) => all | mark, 0);
  // The words of the partial indexes, here and below: PostgreSQL uses them only then.
  const where = [hidden === everyMark ? "marks = 0" : `(marks & ${hidden}) = 0`];
  if (query.archived === "only") where.push(`(marks & ${MARK.archived}) <> 0`);
  for (const column of ["platform", "source", "cwd"] as const) {
    const value = query[column];
    if (value !== undefined) where.push(`${column} = ${param(value)}`);
  }
  if (query.doing !== undefined) where.push(`doing = ${param(query.doing)} AND doing <> ''`);
  if (query.user !== undefined) where.push(`"user" = ${param(query.user)} AND "user" <> ''`);
  if (query.person !== undefined) where.push(`strpos(people, ${param(`\n${query.person}\n`)}) > 0`);
  return { where, values };
}

/** Adds values, and gives the names of their parameters. */
export const paramsOf =
  (values: (string | number)[]) =>
  (value: string | number): string =>
    `$${values.push(typeof value === "string" ? storedText(value) : value)}`;

/** Characters of the time in an id of the host's own form, `YYYYMMDD_HHMMSS_` and six digits. */
const TIME_LENGTH = 16;

function selection(query: ListQuery, given: readonly (string | number)[]): Conditions {
  const { where, values } = sessionFilter(query, given);
  const param = paramsOf(values);
  if (query.title !== undefined) where.push(`title = ${param(query.title)} AND title <> ''`);
  if (query.idPart !== undefined) {
    const part = param(query.idPart);
    where.push(`(starts_with(id, ${part}) OR starts_with(substr(id, ${TIME_LENGTH + 1}), ${part}))`);
  }
  if (query.search !== undefined) where.push(`strpos(words, ${param(query.search)}) > 0`);
  if (query.activeBefore !== undefined) where.push(`active_at < ${param(query.activeBefore)}`);
  if (query.waiting === true) where.push("waiting = 1");
  if (query.unowned === true) where.push("host IS NULL");
  if (query.below !== undefined) {
    const { activeAt, id } = query.below;
    where.push(
      `(active_at, key) < (${param(activeAt)}, coalesce((SELECT key FROM sessions WHERE id = ${param(id)}), 0))`,
    );
  }
  return { where, values };
}
