import type { SessionState, Store, StoredRow } from "../../../../src/core/index.ts";
import { storedText } from "../../../../src/providers/store/postgres/columns.ts";
import { Connections, type Sql } from "../../../../src/providers/store/postgres/connections.ts";
import { migrate } from "../../../../src/providers/store/postgres/schema.ts";
import { PostgresSearch } from "../../../../src/providers/store/postgres/search/postgres-search.ts";
import {
  addUpPeople,
  addUpUsage,
  findInSessions,
} from "../../../../src/providers/store/search/session-search.ts";
import { encodeStateEntry, type StateEntry } from "../../../../src/providers/store/state-entry.ts";
import { handClock } from "../../../kit/clock.ts";
import { testDatabase } from "../../../kit/postgres/index.ts";
import type { ContractHome } from "../contract/home.ts";

/** A home with sessions in a database, and of a store only what searches need. */
export interface SearchHome extends ContractHome {
  readonly connections: Connections;
}

/** Makes a home in a database of its own. */
export async function searchHome(): Promise<SearchHome> {
  const database = await testDatabase();
  const connections = new Connections({ url: database.url, most: 4, name: "test" });
  await migrate(connections);
  return {
    connections,
    clock: handClock(),
    openHost: () => Promise.resolve(storeOf(connections)),
    kill: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      await connections.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

type Written = Pick<Store, "create" | "append" | "branch" | "remove" | "record">;
type Asked = Pick<Store, "search" | "usage" | "personUsage">;

function storeOf(connections: Connections): Store {
  const backend = new PostgresSearch(connections);
  const keyOf = async (id: string): Promise<unknown> =>
    (await run(connections, "SELECT key FROM sessions WHERE id = $1", [id]))[0]?.["key"];
  const write = (id: string, rows: readonly StoredRow[], state: Parameters<typeof encodeStateEntry>) =>
    connections.transaction(async (sql) => {
      const key = await putState(sql, id, encodeStateEntry(...state));
      await putRows(sql, key, rows);
      return key;
    });
  const written: Written = {
    create: async (id, rows, state) =>
      (await write(id, rows, [state, state.parentId !== undefined])) !== undefined,
    async append({ session, rows, state }) {
      if (state !== undefined) await write(session, rows, [state, false]);
      return { status: "ok", fence: undefined };
    },
    async branch(from, { seq }, { id, rows, state }) {
      const key = await write(id, rows, [state, false]);
      const copy =
        "INSERT INTO rows SELECT $1, seq, n, at, type, mid, body, crc FROM rows WHERE session = $2 AND seq <= $3";
      await run(connections, copy, [key, await keyOf(from), seq]);
      return true;
    },
    async remove(id) {
      await run(connections, "DELETE FROM rows WHERE session = $1", [await keyOf(id)]);
      await run(connections, "DELETE FROM sessions WHERE id = $1", [id]);
      return true;
    },
    async record(id) {
      const [row] = await run(
        connections,
        "SELECT t.body FROM sessions s JOIN states t ON t.session = s.key WHERE s.id = $1",
        [id],
      );
      // This is what `putState` wrote.
      return row && { id, state: JSON.parse(String(row["body"])) as SessionState, damaged: false };
    },
  };
  const asked: Asked = {
    search: (query) => findInSessions({ backend, record: written.record }, query),
    usage: (query) => addUpUsage(backend, query),
    personUsage: (query) => addUpPeople(backend, query),
  };
  // Searches ask for nothing else.
  return { ...written, ...asked } as unknown as Store;
}

/** Runs a statement once. */
export const run = (sql: Sql, text: string, values: readonly unknown[] = []) =>
  sql.query({ name: "", text }, values);

async function putState(sql: Sql, id: string, entry: StateEntry): Promise<unknown> {
  const columns = { id, n: entry.n, seq: entry.seq, ...entry.columns };
  const names = Object.keys(columns).map((column) => `"${column}"`);
  const values = Object.values(columns).map((each) => (typeof each === "string" ? storedText(each) : each));
  const places = names.map((_name, at) => `$${at + 1}`).join(", ");
  const changes = names.map((column) => `${column} = excluded.${column}`).join(", ");
  const [row] = await run(
    sql,
    `INSERT INTO sessions (${names.join(", ")}) VALUES (${places}) ON CONFLICT (id) DO UPDATE SET ${changes} RETURNING key`,
    values,
  );
  const replace = "ON CONFLICT (session) DO UPDATE SET body = excluded.body";
  const body = storedText(entry.body);
  await run(sql, `INSERT INTO states VALUES ($1, $2, $3, 0) ${replace}`, [row?.["key"], entry.version, body]);
  return row?.["key"];
}

async function putRows(sql: Sql, key: unknown, rows: readonly StoredRow[]): Promise<void> {
  const stored = rows.map((row) => ({ ...row, body: storedText(row.body) }));
  await run(
    sql,
    `INSERT INTO rows (session, seq, n, at, type, mid, body, crc)
     SELECT $1, seq, n, at, type, false, body, 0
     FROM json_to_recordset($2) AS r (seq bigint, n integer, at bigint, type text, body text)`,
    [key, JSON.stringify(stored)],
  );
}
