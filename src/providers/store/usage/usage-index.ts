import { defined } from "../../../shared/json/defined.ts";
import { integer, nullableInteger, nullableText, text } from "../sqlite/columns.ts";
import type { Database } from "../sqlite/database.ts";
import { QUARTER_MS, UsageFold } from "./usage-fold.ts";
import { readTurnRow, turnOf, turnRows } from "./usage-rows.ts";

const COLUMNS = { integer, nullableInteger, text };

/** An index of what was used, a row for each turn and model: a fold of the logs, row by row in their order. */
export class UsageIndex {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The fold of a session as it goes on from here. */
  foldOf(session: number): UsageFold {
    const lookUp = "SELECT surface, folder, parent FROM usage_sessions WHERE session = ?";
    const start = this.#database.one(lookUp, session);
    const turn = this.#database.all(
      `SELECT * FROM usage_turns WHERE session = ?1 AND seq = (SELECT max(seq) FROM usage_turns WHERE session = ?1)
       ORDER BY turns DESC`,
      session,
    );
    const questions = this.#database.all(
      "SELECT at, seq, request FROM usage_questions WHERE session = ? AND took IS NULL",
      session,
    );
    return new UsageFold(
      defined({
        session: start && {
          surface: text(start, "surface"),
          folder: text(start, "folder"),
          parent: nullableText(start, "parent"),
        },
        turn: turnOf(turn.map((row) => readTurnRow(row, COLUMNS))),
        questions: questions.map((row) => ({
          at: integer(row, "at"),
          seq: integer(row, "seq"),
          request: text(row, "request"),
        })),
      }),
    );
  }

  /** Writes what has changed in a session. */
  save(session: number, fold: UsageFold): void {
    const database = this.#database;
    if (fold.forgets) this.#forgetTurns(session);
    if (fold.session !== undefined) {
      const row = { session, ...fold.session, parent: fold.session.parent ?? null };
      const replace =
        "ON CONFLICT (session) DO UPDATE SET surface = excluded.surface, folder = excluded.folder, parent = excluded.parent";
      database.insert("usage_sessions", row, replace);
    }
    for (const turn of fold.turns) {
      database.run("DELETE FROM usage_turns WHERE session = ? AND seq = ?", session, turn.seq);
      for (const row of turnRows(session, turn)) database.insert("usage_turns", { ...row });
    }
    for (const { at, seq, request, took = null } of fold.questions) {
      const replace = "ON CONFLICT (at, session, seq) DO UPDATE SET took = excluded.took";
      database.insert("usage_questions", { at, session, seq, request, took }, replace);
    }
  }

  /** Forgets a session that was deleted; what people used in it stays theirs. */
  noteDeleted(session: number): void {
    this.#database.run(
      `INSERT INTO usage_deleted (person, at, calls, input, output, cache_read, cost)
       SELECT person, at - at % ${QUARTER_MS} AS quarter, sum(calls), sum(input), sum(output), sum(cache_read), sum(cost)
       FROM usage_turns WHERE session = ? AND calls > 0 GROUP BY person, quarter
       ON CONFLICT (person, at) DO UPDATE SET calls = calls + excluded.calls, input = input + excluded.input,
         output = output + excluded.output, cache_read = cache_read + excluded.cache_read, cost = cost + excluded.cost`,
      session,
    );

    this.forget(session);
  }

  forget(session: number): void {
    this.#forgetTurns(session);
    this.#database.run("DELETE FROM usage_sessions WHERE session = ?", session);
  }

  /** What was used so far was used in another session. */
  #forgetTurns(session: number): void {
    this.#database.run("DELETE FROM usage_turns WHERE session = ?", session);
    this.#database.run("DELETE FROM usage_questions WHERE session = ?", session);
  }
}
