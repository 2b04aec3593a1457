import type {
  NamedUsage,
  Spread,
  UsagePart,
  UsageQuery,
  UsageReport,
  UsageSums,
} from "../../../../core/index.ts";
import { integer, nullableInteger, type ResultRow, text } from "../columns.ts";
import type { Connections, Sql } from "../connections.ts";
import { statement } from "../statement.ts";

const SUMS =
  "sum(calls) AS calls, sum(input) AS input, sum(output) AS output, sum(reasoning) AS reasoning, sum(cache_read) AS cache_read, sum(cost) AS cost, sum(unpriced) AS unpriced";

/** The ways in which a report groups: names, and what they stand in. */
const GROUPS = {
  total: "''",
  part: "part::text",
  models: "model",
  surfaces: "surface",
  folders: "folder",
  people: "person",
  personas: "persona",
} as const;

/** Sessions are counted by adding up each one's own sums first: to sort them for that takes longer. */
const group = (kind: keyof typeof GROUPS): string => {
  const isModel = kind === "models";
  return `
    SELECT '${kind}' AS kind, name, count(*) AS sessions, sum(turns)::bigint AS turns, sum(calls)::bigint AS calls,
      sum(input)::bigint AS input, sum(output)::bigint AS output, sum(reasoning)::bigint AS reasoning,
      sum(cache_read)::bigint AS cache_read, sum(cost) AS cost, sum(unpriced)::bigint AS unpriced
    FROM (
      SELECT ${GROUPS[kind]} AS name, owner, sum(${isModel ? "models" : "turns"}) AS turns, ${SUMS}
      FROM owned ${isModel ? "WHERE model <> '' OR calls > 0" : ""} GROUP BY 1, 2
    ) each_session GROUP BY name`;
};

/** Of each session the one that it works for: its own for a person's. */
const REPORT = statement(
  "usage_report",
  `WITH RECURSIVE used AS MATERIALIZED (
     SELECT width_bucket(at, $1::bigint[]) AS part, session, person, persona, model, sum(turns) AS turns, count(*) AS models,
       ${SUMS}
     FROM usage_turns WHERE at >= $2 AND at < $3 GROUP BY 1, 2, 3, 4, 5
   ), up AS (
     SELECT session, session AS owner, surface, folder, parent, 0 AS depth
     FROM usage_sessions WHERE parent IS NOT NULL AND session IN (SELECT session FROM used)
     UNION ALL
     SELECT up.session, s.key, coalesce(u.surface, ''), coalesce(u.folder, ''), u.parent, depth + 1
     FROM up JOIN sessions s ON s.id = up.parent AND s.key <> up.owner LEFT JOIN usage_sessions u ON u.session = s.key
     WHERE depth < 100
   ), owners AS (
     SELECT DISTINCT ON (session) session, owner, surface, folder, CASE WHEN depth > 0 THEN coalesce(
       (SELECT person FROM usage_turns t WHERE t.session = owner ORDER BY seq DESC LIMIT 1), '') END AS person
     FROM up ORDER BY session, depth DESC
   ), owned AS MATERIALIZED (
     SELECT used.part, coalesce(o.owner, used.session) AS owner, coalesce(o.surface, u.surface, '') AS surface,
       coalesce(o.folder, u.folder, '') AS folder, coalesce(o.person, used.person) AS person, persona, model, turns, models,
       calls, input, output, reasoning, cache_read, cost, unpriced
     FROM used LEFT JOIN usage_sessions u ON u.session = used.session LEFT JOIN owners o ON o.session = used.session
   )
   ${(["total", "part", "models", "surfaces", "folders", "people", "personas"] as const).map(group).join(" UNION ALL ")}`,
);

const spreads = (table: string, more = ""): string =>
  `SELECT part, count, spread[1] AS median, spread[2] AS late ${more === "" ? "" : ", asked"} FROM (
     SELECT width_bucket(at, $1::bigint[]) AS part, count(took) AS count,
       percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY took) AS spread ${more}
     FROM ${table} WHERE at >= $2 AND at < $3 ${more === "" ? "AND took IS NOT NULL" : ""} GROUP BY GROUPING SETS ((1), ())
   ) spreads`;
const ANSWERS = statement("usage_answers", spreads("usage_turns"));
const WAITS = statement("usage_waits", spreads("usage_questions", ", count(*) AS asked"));

const DAMAGED = statement(
  "usage_damaged",
  "SELECT count(*) AS count FROM sessions WHERE id IS NOT NULL AND damaged_at IS NOT NULL",
);

type Times = Pick<UsagePart, "answers" | "questions" | "waits">;

/** Adds up the usage of a home, the turns in the order of their times, each once. */
export function sumUsage(
  connections: Connections,
  { bounds }: UsageQuery,
): Promise<Omit<UsageReport, "complete">> {
  return connections.transaction(async (sql) => {
    // All tables as they were at one moment, and a year's sums without the disk.
    await sql.execute(
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL work_mem = '64MB'",
    );
    const values = [bounds, bounds[0] ?? 0, bounds.at(-1) ?? 0];
    const rows = bounds.length < 2 ? [] : await sql.query(REPORT, values);
    const times = await timesOf(sql, values);
    const [damaged] = await sql.query(DAMAGED);
    const of = (kind: keyof typeof GROUPS): readonly ResultRow[] =>
      rows.filter((row) => row["kind"] === kind);
    const [total] = of("total");
    const parts = new Map(of("part").map((row) => [Number(text(row, "name")), row]));
    return {
      total: { ...sumsOf(total), since: bounds[0] ?? 0, ...times(undefined) },
      parts: bounds.slice(0, -1).map((since, at) => ({
        ...sumsOf(parts.get(at + 1)),
        since,
        ...times(at + 1),
      })),
      models: listOf(of("models")),
      surfaces: listOf(of("surfaces")),
      folders: listOf(of("folders")),
      people: listOf(of("people")),
      personas: listOf(of("personas")),
      damaged: damaged === undefined ? 0 : integer(damaged, "count"),
    };
  });
}

/** How long answers and questions took in each part, and in all. */
async function timesOf(sql: Sql, values: readonly unknown[]): Promise<(part: number | undefined) => Times> {
  const byPart = (rows: readonly ResultRow[]) =>
    new Map(rows.map((row) => [nullableInteger(row, "part"), row]));
  const [answers, waits] = [byPart(await sql.query(ANSWERS, values)), byPart(await sql.query(WAITS, values))];
  return (part) => {
    const [answered, waited] = [answers.get(part), waits.get(part)];
    const [answer, wait] = [spreadOf(answered), spreadOf(waited)];
    return {
      questions: waited === undefined ? 0 : integer(waited, "asked"),
      ...(answer && { answers: answer }),
      ...(wait && { waits: wait }),
    };
  };
}

function spreadOf(row: ResultRow | undefined): Spread | undefined {
  if (row === undefined || integer(row, "count") === 0) return undefined;
  return { count: integer(row, "count"), median: integer(row, "median"), late: integer(row, "late") };
}

const NOTHING: UsageSums = {
  sessions: 0,
  turns: 0,
  calls: 0,
  input: 0,
  output: 0,
  reasoning: 0,
  cacheRead: 0,
  cost: 0,
  unpriced: 0,
};

const sumsOf = (row: ResultRow | undefined): UsageSums =>
  row === undefined
    ? NOTHING
    : {
        sessions: integer(row, "sessions"),
        turns: integer(row, "turns"),
        calls: integer(row, "calls"),
        input: integer(row, "input"),
        output: integer(row, "output"),
        reasoning: integer(row, "reasoning"),
        cacheRead: integer(row, "cache_read"),
        cost: Number(row["cost"]),
        unpriced: integer(row, "unpriced"),
      };

const listOf = (rows: readonly ResultRow[]): readonly NamedUsage[] =>
  rows
    .map((row) => ({ name: text(row, "name"), ...sumsOf(row) }))
    .toSorted((a, b) => b.input + b.output - (a.input + a.output) || b.turns - a.turns);
