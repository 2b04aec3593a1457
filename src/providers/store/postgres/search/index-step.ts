import { setImmediate as nextTurn } from "node:timers/promises";
import { eventOf, INDEXED_IN, TITLE } from "../../search/indexed-text.ts";
import { UsageFold } from "../../usage/usage-fold.ts";
import { integer, type ResultRow, text } from "../columns.ts";
import type { Sql } from "../connections.ts";
import { statement } from "../statement.ts";
import { dropUsage, knownUsage, saveUsage } from "../usage/usage-tables.ts";
import { TextChanges } from "./text-changes.ts";
import type { WordLevels } from "./word-levels.ts";

/** Rows that one step reads. */
const MOST_ROWS = 200;
/** Milliseconds for which it keeps everything else of this process waiting. */
const BREATH_MS = 5;

const TARGETS = statement(
  "search_targets",
  `SELECT s.key, s.seq AS head, coalesce(m.seq, 0) AS done
   FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (key, nth)
     JOIN sessions s ON s.key = wanted.key LEFT JOIN search_marks m ON m.session = s.key
   WHERE s.id IS NOT NULL AND m.seq IS DISTINCT FROM s.seq ORDER BY wanted.nth`,
);

const ROWS = statement(
  "search_rows",
  `SELECT r.session, r.seq, r.at, r.body
   FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS wanted (session, done, head, nth)
   CROSS JOIN LATERAL (
     SELECT session, seq, at, body FROM rows
     WHERE session = wanted.session AND seq > wanted.done AND seq <= wanted.head AND type = ANY ($4::text[])
     ORDER BY seq LIMIT ${MOST_ROWS}
   ) r
   ORDER BY wanted.nth, r.seq LIMIT ${MOST_ROWS}`,
);

const DROP_TITLES = statement(
  "search_drop_titles",
  `DELETE FROM search_texts WHERE session = ANY ($1::bigint[]) AND kind = ${TITLE}`,
);

const DROP_UNDONE = statement(
  "search_drop_undone",
  `DELETE FROM search_texts t USING unnest($1::bigint[], $2::bigint[]) AS undone (session, keep)
   WHERE t.session = undone.session AND t.seq > undone.keep AND t.kind <> ${TITLE}`,
);

const SAVE_TEXTS = statement(
  "search_save_texts",
  `INSERT INTO search_texts (at, session, seq, kind, long, words)
   SELECT * FROM json_to_recordset($1)
     AS text (at bigint, session bigint, seq bigint, kind smallint, long boolean, words tsvector)`,
);

const SAVE_MARKS = statement(
  "search_save_marks",
  `INSERT INTO search_marks (session, seq) SELECT * FROM unnest($1::bigint[], $2::bigint[])
   ON CONFLICT (session) DO UPDATE SET seq = excluded.seq`,
);

const FORGET = statement(
  "search_forget",
  `WITH marks AS (DELETE FROM search_marks WHERE session = ANY ($1::bigint[]))
   DELETE FROM search_texts WHERE session = ANY ($1::bigint[])`,
);

const STILL_GONE = statement(
  "search_still_gone",
  `SELECT m.session AS key FROM search_marks m LEFT JOIN sessions s ON s.key = m.session
   WHERE m.session = ANY ($1::bigint[]) AND s.id IS NULL`,
);

/** Takes sessions that were deleted out of the index. */
export async function forgetSessions(sql: Sql, sessions: readonly number[]): Promise<void> {
  const gone = (await sql.query(STILL_GONE, [sessions])).map((row) => integer(row, "key"));
  if (gone.length === 0) return;
  await sql.query(FORGET, [gone]);
  await dropUsage(sql, gone);
}

/** The parts of a step. */
export interface StepParts {
  readonly sql: Sql;
  readonly levels: WordLevels;
  readonly isOver: () => boolean;
}

/** Reads on in the logs of some sessions, in a transaction that is the only one of its kind; they must be few. */
export async function followSessions(keys: readonly number[], parts: StepParts): Promise<void> {
  const { sql, levels, isOver } = parts;
  const targets = (await sql.query(TARGETS, [keys])).map((row) => ({
    key: integer(row, "key"),
    head: integer(row, "head"),
    done: integer(row, "done"),
  }));
  const column = (name: "key" | "head" | "done") => targets.map((target) => target[name]);
  const wanted = [column("key"), column("done"), column("head"), INDEXED_IN];
  const rows = await sql.query(ROWS, wanted);
  const usage = await knownUsage(sql, [...new Set(rows.map((row) => integer(row, "session")))]);
  const folds = new Map(Array.from(usage, ([session, known]) => [session, new UsageFold(known)]));
  const texts = new TextChanges();
  const taken = await takeRows(rows, { texts, folds, isOver });
  const stopped = taken < rows.length ? taken : rows.length === MOST_ROWS ? rows.length : undefined;
  const marks = marksOf(targets, rows, stopped);
  await saveTexts(texts, { sql, levels });
  await saveUsage(sql, folds);
  await sql.query(SAVE_MARKS, [[...marks.keys()], [...marks.values()]]);
}

interface Taking {
  readonly texts: TextChanges;
  readonly folds: ReadonlyMap<number, UsageFold>;
  readonly isOver: () => boolean;
}

/** @returns how many rows it has taken: at least one, if there is one */
async function takeRows(rows: readonly ResultRow[], { texts, folds, isOver }: Taking): Promise<number> {
  let breath = performance.now();
  for (const [at, row] of rows.entries()) {
    if (at > 0 && isOver()) return at;
    const place = {
      session: integer(row, "session"),
      seq: integer(row, "seq"),
      at: integer(row, "at"),
    };
    const event = eventOf(text(row, "body"));
    if (event === undefined) continue;
    folds.get(place.session)?.take(place, event);
    texts.take(place, event);
    if (performance.now() - breath < BREATH_MS) continue;
    await nextTurn();
    breath = performance.now();
  }
  return rows.length;
}

/**
 * How far each session is in the index then.
 *
 * @param stopped - so many rows were taken, and there may be more; `undefined` when these were all
 */
function marksOf(
  targets: readonly { readonly key: number; readonly head: number }[],
  rows: readonly ResultRow[],
  stopped: number | undefined,
): ReadonlyMap<number, number> {
  const last = stopped === undefined ? undefined : rows[stopped - 1];
  if (last === undefined) return new Map(targets.map(({ key, head }) => [key, head]));
  const session = integer(last, "session");
  const whole = targets.slice(
    0,
    targets.findIndex(({ key }) => key === session),
  );
  return new Map([...whole.map(({ key, head }) => [key, head] as const), [session, integer(last, "seq")]]);
}

async function saveTexts(
  texts: TextChanges,
  { sql, levels }: Pick<StepParts, "sql" | "levels">,
): Promise<void> {
  const { titled, undone, learnt } = texts;
  if (titled.length > 0) await sql.query(DROP_TITLES, [titled]);
  if (undone.length > 0)
    await sql.query(DROP_UNDONE, [undone.map(([session]) => session), undone.map(([, keep]) => keep)]);
  if (texts.texts.length === 0) return;
  await levels.load(sql, new Set(learnt.flatMap((words) => [...words])));
  for (const words of learnt) levels.learn(words);
  await levels.save(sql);
  await sql.query(SAVE_TEXTS, [JSON.stringify(texts.texts)]);
}
