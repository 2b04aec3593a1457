import { describe, expect, test } from "vitest";
import { Connections } from "../../../../src/providers/store/postgres/connections.ts";
import { titleSet } from "../../../kit/log-pen.ts";
import { testDatabase, testPostgres } from "../../../kit/postgres/index.ts";
import { drive, newSession } from "../contract/home.ts";
import { live, machine } from "./machine.ts";

/** Statements that wait at once, more than a host has connections. */
const MANY = 20;

// Where no package brings a server for this machine and AGENT_TEST_POSTGRES names none.
describe.skipIf((await testPostgres()) === undefined)("a host whose database is slow", () => {
  test("keeps what it holds, however many of its statements wait", async () => {
    await using database = await testDatabase();
    await using a = await machine(database.url, "a");
    const pen = await newSession(a.store, "s");
    const fence = await drive(a.store, "s", pen);
    const sql = new Connections({ url: database.url, name: "test", most: 1 });
    let read: Promise<unknown> | undefined;
    await sql.transaction(async (within) => {
      await within.execute("LOCK TABLE sessions");
      read = Promise.allSettled(Array.from({ length: MANY }, () => a.store.record("s")));
      await live(a, 30_000);
    });
    await sql.close();
    await read;
    expect(a.changes).toEqual([]);
    const next = pen.append("s", [titleSet("next")], { fence });
    expect(await a.store.append(next)).toEqual({ status: "ok", fence });
  });
});
