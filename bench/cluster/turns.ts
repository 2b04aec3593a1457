import { Client } from "pg";
import { type ClusterClient, connectTo } from "./client.ts";
import type { ClusterHost } from "./hosts.ts";

const CONNECTIONS = 4;
const EACH = 8;
/** Sessions of each host that take one turn after the other. */
export const SESSIONS_OF_A_HOST = CONNECTIONS * EACH;
/** Programs get faster while they run: before it is measured, each host has done so many turns. */
const WARM_UP_TURNS = 1_000;
const LONGEST_WARM_UP_MS = 15_000;

/** The turns that hosts did in a time. */
export interface TurnRate {
  readonly turns: number;
  readonly perSecond: number;
  /** Milliseconds of the processors that the hosts used for one. */
  readonly cpu: number;
}

/** Has each host do turns for so many seconds, as many at a time as it has sessions. */
export async function turnRate(hosts: readonly ClusterHost[], seconds: number): Promise<TurnRate> {
  const clients = await connectTo(hosts, CONNECTIONS);
  const done = { turns: 0, isOver: false };
  const drive = async (client: ClusterClient): Promise<void> => {
    const { session_id: session } = await client.request("session.create", {});
    while (!done.isOver) {
      const { status } = await client.turn(String(session));
      if (status !== "complete") throw new Error(`A turn ended with ${status ?? "nothing"}.`);
      done.turns += 1;
    }
  };
  const over = Promise.all(
    clients.flatMap((own) => Array.from({ length: EACH }, () => own.map(drive)).flat()),
  );
  const used = (): number => hosts.reduce((sum, host) => sum + host.cpu(), 0);
  const warmUpEnd = performance.now() + LONGEST_WARM_UP_MS;
  while (done.turns < WARM_UP_TURNS * hosts.length && performance.now() < warmUpEnd) await timer(20);
  const before = { turns: done.turns, used: used(), at: performance.now() };
  await Promise.race([timer(seconds * 1000), over]);
  const turns = done.turns - before.turns;
  const elapsed = (performance.now() - before.at) / 1000;
  const cpu = (used() - before.used) / turns;
  done.isOver = true;
  await over;
  for (const client of clients.flat()) client[Symbol.dispose]();
  return { turns, perSecond: turns / elapsed, cpu };
}

const timer = (delay: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, delay));

/** A statement, and how often a turn had the database carry it out. */
export interface TurnStatement {
  readonly name: string;
  readonly perTurn: number;
  readonly meanMs: number;
}

const TURNS = 100;

/** Counts what the database carries out for a turn of a session that has it alone. */
export async function statementsOfTurns(
  [host]: readonly ClusterHost[],
  databaseUrl: string,
): Promise<readonly TurnStatement[]> {
  if (host === undefined) return [];
  const [[client] = []] = await connectTo([host], 1);
  if (client === undefined) return [];
  const { session_id: session } = await client.request("session.create", {});
  // What a session needs once is not a turn's.
  for (let turn = 0; turn < 5; turn += 1) await client.turn(String(session));
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  await sql.query("SELECT pg_stat_statements_reset()");
  for (let turn = 0; turn < TURNS; turn += 1) await client.turn(String(session));
  const { rows } = await sql.query<{ query: string; calls: string; mean: number }>(
    `SELECT query, calls, mean_exec_time AS mean FROM pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND query NOT LIKE '%pg_stat_statements%' ORDER BY calls DESC`,
  );
  await sql.end();
  client[Symbol.dispose]();
  return rows.map(({ query, calls, mean }) => ({
    name: nameOf(query),
    perTurn: Number(calls) / TURNS,
    meanMs: mean,
  }));
}

/** The name that a statement carries as a comment, else its beginning. */
function nameOf(query: string): string {
  const name = /\/\* (\S+) \*\//.exec(query)?.[1];
  return name ?? query.replaceAll(/\s+/g, " ").slice(0, 60);
}
