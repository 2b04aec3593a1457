import type { PersonUsage, PersonUsageQuery } from "../../../core/index.ts";
import { integer, text } from "../sqlite/columns.ts";
import type { Database } from "../sqlite/database.ts";

/** Adds up what people used in a stretch of time, in sessions that were deleted since among it. */
export function personUsage(
  database: Database,
  { names, since, until }: PersonUsageQuery,
): readonly PersonUsage[] {
  const chosen = names === undefined ? "" : "person IN (SELECT value FROM json_each(?)) AND";
  const of = (table: string): string =>
    `SELECT person, calls, input, output, cache_read, cost FROM ${table} WHERE ${chosen} at >= ? AND at < ?`;
  const values = [...(names === undefined ? [] : [JSON.stringify(names)]), since, until];
  const rows = database.all(
    `SELECT person, sum(calls) AS calls, sum(input) AS input, sum(output) AS output, sum(cache_read) AS cache_read,
       sum(cost) AS cost FROM (${of("usage_turns")} UNION ALL ${of("usage_deleted")}) GROUP BY person HAVING sum(calls) > 0`,
    ...values,
    ...values,
  );
  return rows.map((row) => ({
    name: text(row, "person"),
    calls: integer(row, "calls"),
    input: integer(row, "input"),
    output: integer(row, "output"),
    cacheRead: integer(row, "cache_read"),
    cost: Number(row["cost"]),
  }));
}
