import { type KnownUsage, QUARTER_MS, type UsageFold, type UsedTurn } from "../../usage/usage-fold.ts";
import { readTurnRow, turnOf, type TurnRow, turnRows } from "../../usage/usage-rows.ts";
import { integer, nullableInteger, nullableText, type ResultRow, storedText, text } from "../columns.ts";
import type { Sql } from "../connections.ts";
import { statement } from "../statement.ts";

const COLUMNS = { integer, nullableInteger, text };

const SESSIONS = statement(
  "usage_known_sessions",
  "SELECT session, surface, folder, parent FROM usage_sessions WHERE session = ANY ($1::bigint[])",
);

const NEWEST_TURNS = statement(
  "usage_newest_turns",
  `SELECT t.* FROM unnest($1::bigint[]) AS wanted (session)
   CROSS JOIN LATERAL (SELECT max(seq) AS seq FROM usage_turns u WHERE u.session = wanted.session) newest
   JOIN usage_turns t ON t.session = wanted.session AND t.seq = newest.seq
   ORDER BY t.session, t.turns DESC, t.model`,
);

const OPEN_QUESTIONS = statement(
  "usage_open_questions",
  "SELECT session, seq, at, request FROM usage_questions WHERE session = ANY ($1::bigint[]) AND took IS NULL",
);

/** Reads what the folds of some sessions go on from. */
export async function knownUsage(
  sql: Sql,
  sessions: readonly number[],
): Promise<ReadonlyMap<number, KnownUsage>> {
  const [begun, turns, questions] = [
    bySession(await sql.query(SESSIONS, [sessions])),
    bySession(await sql.query(NEWEST_TURNS, [sessions])),
    bySession(await sql.query(OPEN_QUESTIONS, [sessions])),
  ];
  return new Map(
    sessions.map((session) => {
      const [start] = begun.get(session) ?? [];
      const turn = turnOf((turns.get(session) ?? []).map((row) => readTurnRow(row, COLUMNS)));
      const known: KnownUsage = {
        ...(start !== undefined && {
          session: {
            surface: text(start, "surface"),
            folder: text(start, "folder"),
            parent: nullableText(start, "parent"),
          },
        }),
        ...(turn !== undefined && { turn }),
        questions: (questions.get(session) ?? []).map((row) => ({
          at: integer(row, "at"),
          seq: integer(row, "seq"),
          request: text(row, "request"),
        })),
      };
      return [session, known];
    }),
  );
}

function bySession(rows: readonly ResultRow[]): ReadonlyMap<number, readonly ResultRow[]> {
  return Map.groupBy(rows, (row) => integer(row, "session"));
}

const FORGET_TURNS = statement(
  "usage_forget_turns",
  `WITH asked AS (DELETE FROM usage_questions WHERE session = ANY ($1::bigint[]))
   DELETE FROM usage_turns WHERE session = ANY ($1::bigint[])`,
);

const SAVE_SESSIONS = statement(
  "usage_save_sessions",
  `INSERT INTO usage_sessions SELECT * FROM json_populate_recordset(NULL::usage_sessions, $1)
   ON CONFLICT (session) DO UPDATE SET surface = excluded.surface, folder = excluded.folder, parent = excluded.parent`,
);

const DROP_TURNS = statement(
  "usage_drop_turns",
  `DELETE FROM usage_turns t USING json_to_recordset($1) AS changed (session bigint, seq bigint)
   WHERE t.session = changed.session AND t.seq = changed.seq`,
);

const SAVE_TURNS = statement(
  "usage_save_turns",
  "INSERT INTO usage_turns SELECT * FROM json_populate_recordset(NULL::usage_turns, $1)",
);

const SAVE_QUESTIONS = statement(
  "usage_save_questions",
  `INSERT INTO usage_questions SELECT * FROM json_populate_recordset(NULL::usage_questions, $1)
   ON CONFLICT (at, session, seq) DO UPDATE SET took = excluded.took`,
);

/** Writes what has changed in some sessions. */
export async function saveUsage(sql: Sql, folds: ReadonlyMap<number, UsageFold>): Promise<void> {
  const all = [...folds];
  const forgets = all.filter(([, fold]) => fold.forgets).map(([session]) => session);
  const sessions = all.flatMap(([session, { session: start }]) =>
    start === undefined
      ? []
      : [
          {
            session,
            surface: storedText(start.surface),
            folder: storedText(start.folder),
            parent: start.parent === undefined ? null : storedText(start.parent),
          },
        ],
  );
  const turns = all.flatMap(([session, fold]) => fold.turns.flatMap((turn) => storedRows(session, turn)));
  const questions = all.flatMap(([session, fold]) =>
    fold.questions.map(({ at, seq, request, took = null }) => ({
      at,
      session,
      seq,
      request: storedText(request),
      took,
    })),
  );
  if (forgets.length > 0) await sql.query(FORGET_TURNS, [forgets]);
  if (sessions.length > 0) await sql.query(SAVE_SESSIONS, [JSON.stringify(sessions)]);
  if (turns.length > 0) {
    const rows = JSON.stringify(turns);
    await sql.query(DROP_TURNS, [rows]);
    await sql.query(SAVE_TURNS, [rows]);
  }
  if (questions.length > 0) await sql.query(SAVE_QUESTIONS, [JSON.stringify(questions)]);
}

const storedRows = (session: number, turn: UsedTurn): readonly TurnRow[] =>
  turnRows(session, turn).map(({ model, person, persona, ...row }) => ({
    ...row,
    model: storedText(model),
    person: storedText(person),
    persona: storedText(persona),
  }));

const KEEP_DELETED = statement(
  "usage_keep_deleted",
  `INSERT INTO usage_deleted (person, at, calls, input, output, cache_read, cost)
   SELECT person, at - at % ${QUARTER_MS}, sum(calls), sum(input), sum(output), sum(cache_read), sum(cost)
   FROM usage_turns WHERE session = ANY ($1::bigint[]) AND calls > 0 GROUP BY 1, 2 ORDER BY 1, 2
   ON CONFLICT (person, at) DO UPDATE SET calls = usage_deleted.calls + excluded.calls,
     input = usage_deleted.input + excluded.input, output = usage_deleted.output + excluded.output,
     cache_read = usage_deleted.cache_read + excluded.cache_read, cost = usage_deleted.cost + excluded.cost`,
);

const DROP_SESSIONS = statement(
  "usage_drop_sessions",
  "DELETE FROM usage_sessions WHERE session = ANY ($1::bigint[])",
);

/** Forgets sessions that were deleted; what people used in them stays theirs. */
export async function dropUsage(sql: Sql, sessions: readonly number[]): Promise<void> {
  await sql.query(KEEP_DELETED, [sessions]);
  await sql.query(FORGET_TURNS, [sessions]);
  await sql.query(DROP_SESSIONS, [sessions]);
}
