import type { PersonUsage, PersonUsageQuery } from "../../../../core/index.ts";
import { integer, storedText, text } from "../columns.ts";
import type { Sql } from "../connections.ts";
import { statement } from "../statement.ts";

const of = (table: string): string =>
  `SELECT person, calls, input, output, cache_read, cost FROM ${table}
   WHERE ($1::text[] IS NULL OR person = ANY ($1::text[])) AND at >= $2 AND at < $3`;

const SUMS = statement(
  "person_usage",
  `SELECT person, sum(calls)::bigint AS calls, sum(input)::bigint AS input, sum(output)::bigint AS output,
     sum(cache_read)::bigint AS cache_read, sum(cost) AS cost
   FROM (${of("usage_turns")} UNION ALL ${of("usage_deleted")}) used
   GROUP BY person HAVING sum(calls) > 0 ORDER BY person COLLATE "C"`,
);

/** Adds up what people used in a stretch of time, in sessions that were deleted since among it. */
export async function sumPersonUsage(
  sql: Sql,
  { names, since, until }: PersonUsageQuery,
): Promise<readonly PersonUsage[]> {
  const rows = await sql.query(SUMS, [names?.map(storedText) ?? null, since, until]);
  return rows.map((row) => ({
    name: text(row, "person"),
    calls: integer(row, "calls"),
    input: integer(row, "input"),
    output: integer(row, "output"),
    cacheRead: integer(row, "cache_read"),
    cost: Number(row["cost"]),
  }));
}
