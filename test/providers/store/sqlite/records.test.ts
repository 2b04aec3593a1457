import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { newSession } from "../contract/home.ts";
import { sqliteHome } from "./sqlite-home.ts";

const draft = (key: string) => ({ space: "test", key, value: `{"of":"${key}"}`, dueAt: 0 });

test("a record that is not what was written is an error to who asks for it, and keeps nobody else from theirs", async () => {
  await using home = await sqliteHome();
  const { records } = await home.openHost();
  await records.add(draft("sound"));
  await records.add(draft("spoilt"));
  using database = new DatabaseSync(home.database);
  database.exec(`UPDATE records SET value = '{"of":"nobody"}' WHERE key = 'spoilt'`);
  await expect(records.get("test", "spoilt")).rejects.toMatchObject({ code: "store_corrupt" });
  expect((await records.list({ space: "test", limit: 9 })).map(({ key }) => key)).toEqual(["sound"]);
  expect((await records.claimDue("test", 9)).map(({ key }) => key)).toEqual(["sound"]);
  expect(await records.put(draft("spoilt"))).toMatchObject(draft("spoilt"));
  expect(await records.get("test", "spoilt")).toMatchObject(draft("spoilt"));
});

test("a home of the version before records gets them, and keeps what it has", async () => {
  await using home = await sqliteHome();
  const old = await home.openHost();
  const pen = await newSession(old, "s");
  await old[Symbol.asyncDispose]();
  {
    using database = new DatabaseSync(home.database);
    database.exec(
      "DROP TABLE records; DROP TABLE feed; DROP INDEX sessions_waiting; DROP INDEX sessions_doing; DROP INDEX sessions_by_user",
    );
    for (const column of ["waiting", "doing", "people", "user"])
      database.exec(`ALTER TABLE sessions DROP COLUMN ${column}`);
    database.exec("PRAGMA user_version = 1");
  }
  const store = await home.openHost();
  expect((await store.record("s"))?.state).toEqual(pen.state);
  expect(await store.records.add(draft("k"))).toMatchObject({ added: true });
});

test("the daily cleaning deletes what has expired", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  const expiresAt = home.clock.now() + 10;
  for (let nth = 0; nth < 50; nth += 1) await store.records.add({ ...draft(`${nth}`), expiresAt });
  await store.records.add(draft("stays"));
  home.clock.advance(10);
  await store.sweep();
  using database = new DatabaseSync(home.database);
  expect(database.prepare("SELECT key FROM records").all()).toEqual([{ key: "stays" }]);
});
