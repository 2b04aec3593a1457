import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, Pool } from "pg";
import type { StoredTurn } from "./stored-turn.ts";
import { SESSIONS_OF_A_HOST } from "./turns.ts";

/** As many as a host has for its store. */
const CONNECTIONS = 8;

const MOST_SESSIONS = 64;

const TABLES = `
  CREATE TABLE sessions (key bigint PRIMARY KEY, n bigint NOT NULL, seq bigint NOT NULL) WITH (fillfactor = 80);
  CREATE TABLE states (session bigint PRIMARY KEY, body text NOT NULL) WITH (fillfactor = 60);
  CREATE TABLE rows (session bigint, seq bigint, type text, body text, PRIMARY KEY (session, seq));
  CREATE SEQUENCE seqs;
  INSERT INTO sessions SELECT key, 0, 0 FROM generate_series(0, ${MOST_SESSIONS - 1}) AS key;
  INSERT INTO states SELECT key, '' FROM sessions;
`;

/** What a commit of a turn writes, and nothing else. Its parameters: the session, the state, then type and body of each row. */
function commitOf(rows: number, parameter: (place: number) => string): string {
  const values = Array.from(
    { length: rows },
    (_, row) =>
      `(${parameter(0)}::bigint, nextval('seqs'), ${parameter(2 + 2 * row)}::text, ${parameter(3 + 2 * row)}::text)`,
  );
  return `WITH added AS (INSERT INTO rows VALUES ${values.join(", ")}),
    noted AS (UPDATE sessions SET n = n + ${rows}, seq = seq + ${rows} WHERE key = ${parameter(0)}::bigint)
    UPDATE states SET body = ${parameter(1)}::text WHERE session = ${parameter(0)}::bigint`.replaceAll(
    /\s+/g,
    " ",
  );
}

async function prepared(databaseUrl: string): Promise<void> {
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  await sql.query(TABLES);
  await sql.end();
}

/** How a bare Node program commits: how many at a time, and for how long. */
interface BareLoad {
  readonly sessions: number;
  readonly forMs: number;
}

/** Commits the same bytes as turns do, by a bare Node program that does nothing else; gives the milliseconds of each turn. */
export async function bareTurns(
  databaseUrl: string,
  turn: StoredTurn,
  { sessions, forMs }: BareLoad,
): Promise<readonly number[]> {
  await prepared(databaseUrl);
  const pool = new Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  const end = performance.now() + forMs;
  const took: number[] = [];
  const drive = async (session: number): Promise<void> => {
    while (performance.now() < end) {
      const started = performance.now();
      for (const rows of turn.appends)
        await pool.query({
          name: `commit_${rows.length}`,
          text: commitOf(rows.length, (place) => `$${place + 1}`),
          values: [session, turn.state, ...rows.flatMap(({ type, body }) => [type, body])],
        });
      took.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: sessions }, (_, session) => drive(session)));
  await pool.end();
  return took;
}

/** Turns per second of `pgbench`, which commits the same bytes as often; `undefined` where it is not installed. */
export async function pgbenchRate(
  databaseUrl: string,
  turn: StoredTurn,
  seconds: number,
): Promise<number | undefined> {
  await prepared(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "agent-bench-"));
  const script = join(folder, "turn.sql");
  const names = (append: number): ((place: number) => string) => {
    const own = (place: number): string =>
      place === 0 ? "client_id" : place === 1 ? "state" : `a${append}_${place}`;
    return (place) => `:${own(place)}`;
  };
  const lines = turn.appends.map((rows, append) => `${commitOf(rows.length, names(append))};\n`);
  writeFileSync(script, lines.join(""));
  const variables = turn.appends.flatMap((rows, append) =>
    rows.flatMap(({ type, body }, row) => [
      `a${append}_${2 + 2 * row}=${type}`,
      `a${append}_${3 + 2 * row}=${body}`,
    ]),
  );
  const flags = [`state=${turn.state}`, ...variables].flatMap((variable) => ["-D", variable]);
  const load = ["-n", "-M", "prepared", "-c", `${SESSIONS_OF_A_HOST}`, "-j", "2", "-T", `${seconds}`];
  try {
    const { stdout } = await promisify(execFile)("pgbench", [...load, ...flags, "-f", script, databaseUrl]);
    return Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT") return undefined;
    throw thrown;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
