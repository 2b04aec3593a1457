import { existsSync, statSync } from "node:fs";
import { copyFile, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { checkpointLog } from "../../../../src/providers/store/search/log-checkpoint.ts";
import { titleSet } from "../../../kit/log-pen.ts";
import { drive, newSession } from "../contract/home.ts";
import { sqliteHome, type StoreThread } from "./sqlite-home.ts";

const MEGABYTE = 1024 * 1024;

test.each<StoreThread>(["own", "callers"])(
  "a full log is moved into its database while its owner, in a thread: %s, goes on",
  async (thread) => {
    await using home = await sqliteHome({ thread });
    const store = await home.openHost();
    const pen = await newSession(store, "s");
    const fence = await drive(store, "s", pen);
    const say = (text: string) =>
      store.append(pen.append("s", [{ type: "notice", level: "info", kind: "k", text }], { fence }));
    await say("small");
    const before = statSync(home.database).size;
    checkpointLog(home.folder);
    expect(statSync(home.database).size).toBe(before);
    for (let count = 0; count < 30; count += 1) await say("x".repeat(200_000));
    checkpointLog(home.folder);
    expect(statSync(home.database).size).toBeGreaterThan(5 * MEGABYTE);
    await store.append(pen.append("s", [titleSet("and on")], { fence }));
    expect((await store.record("s"))?.state).toEqual(pen.state);
  },
);

test("a log whose database is gone or empty is left alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agent-store-"));
  const file = join(folder, "state.db");
  try {
    using database = new DatabaseSync(file);
    database.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x)");
    database.prepare("INSERT INTO t VALUES (?)").run("x".repeat(5 * MEGABYTE));
    await copyFile(`${file}-wal`, `${file}-kept`);
    const { size } = statSync(`${file}-kept`);
    await rm(file);
    checkpointLog(folder);
    expect([existsSync(file), statSync(`${file}-wal`).size]).toEqual([false, size]);
    await copyFile(`${file}-kept`, file);
    await truncate(file, 0);
    checkpointLog(folder);
    expect([statSync(file).size, statSync(`${file}-wal`).size]).toEqual([0, size]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
