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
const QUICK = { settings: { fsync: "off", full_page_writes: "off" }, inMemory: true };

/** Fills a database that others are copied from. */
export type FillDatabase = (url: string) => Promise<void>;

const templates = new Map<FillDatabase, Promise<string>>();

/**
 * Makes a database of its own for a test: an empty one, or a copy of what `fill` made once.
 *
 * @throws Error where there is no server: ask `testPostgres` first
 */
export async function testDatabase(fill?: FillDatabase): Promise<TestDatabase> {
  const base = await testPostgres();
  if (base === undefined) throw new Error("There is no PostgreSQL for tests on this machine.");
  const name = await makeDatabase(base, fill && (await templateOf(base, fill)));
  return {
    url: addressOf(base, name),
    [Symbol.asyncDispose]: () => administer(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

function templateOf(base: string, fill: FillDatabase): Promise<string> {
  const known = templates.get(fill);
  if (known !== undefined) return known;
  const made = (async () => {
    const name = await makeDatabase(base);
    await fill(addressOf(base, name));
    return name;
  })();
  templates.set(fill, made);
  return made;
}

async function makeDatabase(base: string, template = "template1"): Promise<string> {
  last += 1;
  const name = `agent_test_${process.pid}_${last}`;
  await administer(base, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return name;
}

function addressOf(base: string, name: string): string {
  const url = new URL(base);
  url.pathname = `/${name}`;
  return url.href;
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
