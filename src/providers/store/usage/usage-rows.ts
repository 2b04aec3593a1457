import type { ModelUsage, UsedTurn } from "./usage-fold.ts";

/** A row of the table of turns. */
export interface TurnRow {
  readonly at: number;
  readonly session: number;
  readonly seq: number;
  readonly model: string;
  readonly person: string;
  readonly persona: string;
  readonly turns: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  readonly cache_read: number;
  readonly cost: number;
  readonly unpriced: number;
  readonly waited: number;
  readonly took: number | null;
  readonly ended: number;
}

/** The rows of a turn of a session: one for each model. */
export const turnRows = (session: number, turn: UsedTurn): readonly TurnRow[] =>
  turn.models.map(({ cacheRead, turns, ...sums }) => ({
    at: turn.at,
    session,
    seq: turn.seq,
    person: turn.person,
    persona: turn.persona,
    turns,
    ...sums,
    cache_read: cacheRead,
    waited: turn.waited,
    took: turns === 1 ? (turn.took ?? null) : null,
    ended: turn.isOver ? 1 : 0,
  }));

/** The turn of some rows, which are all of it, the one that counts it first; `undefined` of none. */
export function turnOf(rows: readonly TurnRow[]): UsedTurn | undefined {
  const [first] = rows;
  if (first === undefined) return undefined;
  const { at, seq, person, persona, waited, took, ended } = first;
  return {
    at,
    seq,
    person,
    persona,
    waited,
    isOver: ended === 1,
    ...(took !== null && { took }),
    models: rows.map(
      ({
        model,
        turns,
        calls,
        input,
        output,
        reasoning,
        cache_read: cacheRead,
        cost,
        unpriced,
      }): ModelUsage => ({
        model,
        turns,
        calls,
        input,
        output,
        reasoning,
        cacheRead,
        cost,
        unpriced,
      }),
    ),
  };
}

/** The readers of the columns of a database's rows. */
export interface ColumnReader<Row> {
  readonly integer: (row: Row, column: string) => number;
  readonly nullableInteger: (row: Row, column: string) => number | undefined;
  readonly text: (row: Row, column: string) => string;
}

/** Reads a row of the table. */
export function readTurnRow<Row extends Readonly<Record<string, unknown>>>(
  row: Row,
  { integer, nullableInteger, text }: ColumnReader<Row>,
): TurnRow {
  return {
    at: integer(row, "at"),
    session: integer(row, "session"),
    seq: integer(row, "seq"),
    model: text(row, "model"),
    person: text(row, "person"),
    persona: text(row, "persona"),
    turns: integer(row, "turns"),
    calls: integer(row, "calls"),
    input: integer(row, "input"),
    output: integer(row, "output"),
    reasoning: integer(row, "reasoning"),
    cache_read: integer(row, "cache_read"),
    cost: Number(row["cost"]),
    unpriced: integer(row, "unpriced"),
    waited: integer(row, "waited"),
    took: nullableInteger(row, "took") ?? null,
    ended: integer(row, "ended"),
  };
}
