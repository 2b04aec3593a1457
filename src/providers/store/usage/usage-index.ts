import { type DurableEvent, isQuestion, personName, type Usage } from "../../../core/index.ts";
import { originWords } from "../../../shared/text/origin-words.ts";
import { integer, nullableText, text } from "../sqlite/columns.ts";
import type { Database } from "../sqlite/database.ts";

/** The events that say what was used. */
export const USED_IN: readonly DurableEvent["type"][] = [
  "session.start",
  "session.branch",
  "session.import",
  "turn.start",
  "reply.complete",
  "history.compress",
  "history.compress_failed",
  "approval.request",
  "approval.resolved",
  "clarify.request",
  "clarify.resolved",
  "sudo.request",
  "sudo.resolved",
  "secret.request",
  "secret.resolved",
  "turn.end",
];

/** Months begin at a quarter of an hour, in whatever zone. */
const QUARTER_MS = 900_000;

/** A row of a log, of a session by its key. */
export interface UsageRow {
  readonly session: number;
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** The newest turn of a session. */
interface Turn {
  readonly at: number;
  readonly seq: number;
  readonly person: string;
  readonly persona: string;
  readonly model: string;
  readonly waited: number;
  readonly isOver: boolean;
}

/** An index of what was used, a row for each turn and model: a fold of the logs, row by row in their order. */
export class UsageIndex {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  take(row: UsageRow, event: DurableEvent): void {
    const { session } = row;
    if (isQuestion(event)) return this.#ask(row, event.requestId);
    switch (event.type) {
      case "session.start":
        return this.#begin(session, event);
      case "session.branch":
        // A person's own session, whoever's the first one was.
        this.#database.run("UPDATE usage_sessions SET parent = NULL WHERE session = ?", session);
        return this.#forgetTurns(session);
      case "session.import":
        return this.#forgetTurns(session);
      case "turn.start":
        return this.#startTurn(row, {
          person: personName(event.prompt),
          persona: event.persona?.name ?? "",
        });
      case "reply.complete":
        return this.#use(row, event.usage, `${event.provider}:${event.model}`);
      case "history.compress":
      case "history.compress_failed":
        return this.#use(row, event.usage, this.#turn(session)?.model ?? "");
      case "approval.resolved":
      case "clarify.resolved":
      case "sudo.resolved":
      case "secret.resolved":
        return this.#resolve(row, event.requestId, event.resolution.outcome === "answered");
      case "turn.end":
        return this.#endTurn(row, event.outcome === "completed");
      default:
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

  #begin(session: number, start: Extract<DurableEvent, { type: "session.start" }>): void {
    const parent = (start.depth ?? 0) > 0 ? (start.parentId ?? "") : null;
    const row = { session, surface: originWords(start), folder: start.cwd, parent };
    const replace =
      "ON CONFLICT (session) DO UPDATE SET surface = excluded.surface, folder = excluded.folder, parent = excluded.parent";
    this.#database.insert("usage_sessions", row, replace);
  }

  /** A subagent's session: its turns and questions are part of another's. */
  #isChild(session: number): boolean {
    const row = this.#database.one("SELECT parent FROM usage_sessions WHERE session = ?", session);
    return row !== undefined && nullableText(row, "parent") !== undefined;
  }

  #turn(session: number): Turn | undefined {
    const row = this.#database.one(
      "SELECT at, seq, person, persona, model, waited, ended FROM usage_turns WHERE session = ? ORDER BY seq DESC, turns DESC LIMIT 1",
      session,
    );
    return (
      row && {
        at: integer(row, "at"),
        seq: integer(row, "seq"),
        person: text(row, "person"),
        persona: text(row, "persona"),
        model: text(row, "model"),
        waited: integer(row, "waited"),
        isOver: integer(row, "ended") === 1,
      }
    );
  }

  #startTurn({ session, seq, at }: UsageRow, by: Pick<Turn, "person" | "persona">): void {
    const turns = this.#isChild(session) ? 0 : 1;
    this.#database.insert("usage_turns", { at, session, seq, model: "", ...by, turns });
  }

  #use(row: UsageRow, usage: Usage, model: string): void {
    const { session } = row;
    const turn = this.#turn(session);
    const { at, seq, person, persona } =
      turn === undefined || turn.isOver
        ? { ...row, person: turn?.person ?? "", persona: turn?.persona ?? "" }
        : turn;
    if (turn !== undefined && !turn.isOver)
      this.#database.run(
        "UPDATE usage_turns SET model = ? WHERE session = ? AND seq = ? AND model = ''",
        model,
        session,
        seq,
      );
    const { calls, input, output, reasoning, cacheRead, cost } = usage;
    this.#database.insert(
      "usage_turns",
      {
        at,
        session,
        seq,
        model,
        person,
        persona,
        turns: 0,
        calls,
        input,
        output,
        reasoning,
        cache_read: cacheRead,
        cost: cost ?? 0,
        unpriced: cost === undefined ? calls : 0,
      },
      `ON CONFLICT (at, session, seq, model) DO UPDATE SET calls = calls + excluded.calls,
         input = input + excluded.input, output = output + excluded.output,
         reasoning = reasoning + excluded.reasoning, cache_read = cache_read + excluded.cache_read,
         cost = cost + excluded.cost, unpriced = unpriced + excluded.unpriced`,
    );
  }

  #ask({ session, seq, at }: UsageRow, request: string): void {
    if (!this.#isChild(session)) this.#database.insert("usage_questions", { at, session, seq, request });
  }

  #resolve({ session, at }: UsageRow, request: string, isAnswered: boolean): void {
    const asked = this.#database.one(
      "SELECT at, seq FROM usage_questions WHERE session = ? AND request = ? LIMIT 1",
      session,
      request,
    );
    if (asked === undefined) return;
    const took = Math.max(0, at - integer(asked, "at"));
    if (isAnswered)
      this.#database.update("usage_questions", { took }, { session, seq: integer(asked, "seq") });
    const turn = this.#turn(session);
    if (turn !== undefined && !turn.isOver)
      this.#database.update("usage_turns", { waited: turn.waited + took }, { session, seq: turn.seq });
  }

  #endTurn({ session, at }: UsageRow, isAnswered: boolean): void {
    const turn = this.#turn(session);
    if (turn === undefined || turn.isOver) return;
    this.#database.update("usage_turns", { ended: 1 }, { session, seq: turn.seq });
    const took = Math.max(0, at - turn.at - turn.waited);
    if (isAnswered) this.#database.update("usage_turns", { took }, { session, seq: turn.seq, turns: 1 });
  }
}
