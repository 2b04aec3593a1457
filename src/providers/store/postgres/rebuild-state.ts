import { decodeRow, EMPTY_STATE, fold, type SessionState, type StoredRow } from "../../../core/index.ts";
import type { StoreInput } from "../operations.ts";
import { stateChecksum } from "../sqlite/checksum.ts";
import { encodeStateEntry, type StateEntry } from "../state-entry.ts";
import { InvalidValueError } from "../sqlite/columns.ts";
import { askedState } from "./append-input.ts";
import { integer, nullableInteger, storedText } from "./columns.ts";
import type { Sql } from "./connections.ts";
import type { PostgresContext } from "./context.ts";
import { checkedRow, ROW_COLUMNS } from "./log.ts";
import { statement } from "./statement.ts";

/** Rows read and folded in one step. */
const STEP = 500;

const HEAD = "SELECT key, n, seq, damaged_at FROM sessions WHERE id = $1";
const FIND = statement("find_head", HEAD);
const LOCK = statement("lock_head", `${HEAD} FOR NO KEY UPDATE`);
const ROWS = statement(
  "rows_after",
  `SELECT ${ROW_COLUMNS} FROM rows r WHERE r.session = $1 AND r.seq > $2 ORDER BY r.seq LIMIT $3`,
);
/** The stored head may be wrong: the last row tells where the log ends. */
const END = statement("log_end", "SELECT seq FROM rows WHERE session = $1 ORDER BY seq DESC LIMIT 1");
const STORE_STATE = statement(
  "store_state",
  `INSERT INTO states (session, version, body, crc) VALUES ($1, $2, $3, $4)
   ON CONFLICT (session) DO UPDATE SET version = excluded.version, body = excluded.body, crc = excluded.crc`,
);
/** The mark of a subagent's session never changes after it is made. */
const STORE_COLUMNS = statement(
  "store_columns",
  `
  UPDATE sessions s SET n = u.n, seq = u.seq, active_at = u.active_at, marks = u.marks | (s.marks & 1), platform = u.platform,
    source = u.source, cwd = u.cwd, title = u.title, words = u.words, waiting = u.waiting, doing = u.doing, "user" = u."user",
    people = u.people
  FROM json_to_record($2::json) AS u (
    n int, seq bigint, active_at bigint, marks int, platform text, source text, cwd text, title text, words text, waiting int,
    doing text, "user" text, people text)
  WHERE s.key = $1
  `,
);
const MARK_DAMAGED = statement(
  "mark_damaged",
  "UPDATE sessions SET damaged_at = least(damaged_at, $2::int) WHERE key = $1",
);

/** What the rows of a session say, as far as they can be read. */
interface Folded {
  readonly state: SessionState;
  readonly damagedAt: number | undefined;
}

/**
 * Makes the state of a session anew from its rows and stores it, unless the session has moved on since: then its newest state is sound
 * already. In steps: nobody else waits for it.
 *
 * @returns `true`: nothing of it is left to do
 */
export async function rebuildState(
  { sql }: Pick<PostgresContext, "sql">,
  { session: id }: StoreInput<"rebuildState">,
): Promise<boolean> {
  const [session] = await sql.query(FIND, [storedText(id)]);
  if (session === undefined) return true;
  const key = integer(session, "key");
  const folded = await foldAll(sql, key, nullableInteger(session, "damaged_at"));
  await sql.transaction((within) => save(within, { id, key }, folded));
  return true;
}

async function foldAll(sql: Sql, key: number, known: number | undefined): Promise<Folded> {
  let state = EMPTY_STATE;
  for (;;) {
    const page = await sql.query(ROWS, [key, state.seq, STEP]);
    for (const raw of page) {
      const row = state.n + 1 === known ? undefined : checkedRow(raw, state.n + 1);
      const next = row && foldRow(state, row);
      if (next === undefined) return { state, damagedAt: state.n + 1 };
      state = next;
    }
    if (page.length < STEP) return { state, damagedAt: known };
  }
}

/** `undefined` for a row that no version of this program has written. */
function foldRow(state: SessionState, row: StoredRow): SessionState | undefined {
  try {
    return fold(state, decodeRow(row));
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof InvalidValueError) return undefined;
    throw thrown;
  }
}

async function save(
  sql: Sql,
  { id, key }: { readonly id: string; readonly key: number },
  { state, damagedAt }: Folded,
): Promise<void> {
  // An append of the same moment goes before, or waits.
  const [session] = await sql.query(LOCK, [storedText(id)]);
  if (session === undefined || integer(session, "key") !== key) return;
  const entry = encodeStateEntry(state, false);
  if (damagedAt !== undefined) {
    // The log goes on behind the damage: its head stays, and the state is that of the readable prefix.
    const head = { n: integer(session, "n"), seq: integer(session, "seq") };
    await storeState(sql, { id, key }, { ...entry, ...head });
    await sql.query(MARK_DAMAGED, [key, damagedAt]);
    return;
  }
  const [end = {}] = await sql.query(END, [key]);
  if (nullableInteger(end, "seq") !== state.seq) return;
  await sql.query(STORE_COLUMNS, [key, JSON.stringify(askedState(id, entry))]);
  await storeState(sql, { id, key }, entry);
}

async function storeState(
  sql: Sql,
  { id, key }: { readonly id: string; readonly key: number },
  { n, seq, version, body }: StateEntry,
): Promise<void> {
  await sql.query(STORE_STATE, [key, version, body, stateChecksum(id, { n, seq, version, body })]);
}
