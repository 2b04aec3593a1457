import { Client } from "pg";
import { startPostgres } from "./server.ts";

/** An empty database; it is dropped when it is disposed. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

let server: Promise<string | undefined> | undefined;
let last = 0;

/**
 * The address of the server on which tests make their databases: `AGENT_TEST_POSTGRES`, else the packaged one, which is started
 * once for each worker. `undefined` where neither is there.
 */
export function testPostgres(): Promise<string | undefined> {
  server ??= (async () => process.env["AGENT_TEST_POSTGRES"] ?? (await startPostgres(QUICK))?.url())();
  return server;
}

/** Tests kill processes, and no machine loses its power: what the system was given is as good as on the disk. */
const QUICK = { settings: { fsync: "off", full_page_writes: "off" } };

/** Makes a database of its own for a test. @throws Error where there is no server: ask `testPostgres` first */
export async function testDatabase(): Promise<TestDatabase> {
  const base = await testPostgres();
  if (base === undefined) throw new Error("There is no PostgreSQL for tests on this machine.");
  last += 1;
  const name = `agent_test_${process.pid}_${last}`;
  await administer(base, `CREATE DATABASE ${name}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => administer(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
