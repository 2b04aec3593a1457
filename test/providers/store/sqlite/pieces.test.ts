import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PieceFolder } from "../../../../src/providers/store/pieces/piece-folder.ts";
import type { SavedPieces } from "../../../../src/providers/store/pieces/saved-pieces.ts";
import { blobFileCleanup } from "../../../../src/providers/store/sqlite/blob-files.ts";
import { readLog } from "../../../../src/providers/store/sqlite/log.ts";
import { openHomeDatabase } from "../../../../src/providers/store/sqlite/open-database.ts";
import { OperationContext } from "../../../../src/providers/store/sqlite/operation-context.ts";
import { titleSet } from "../../../kit/log-pen.ts";
import { newSession, piece } from "../contract/home.ts";
import { inOwnThread, readIdentity, sqliteStore } from "../../../../src/providers/store/index.ts";
import { builtStore } from "./built-store.ts";
import { sqliteHome, type SqliteHome } from "./sqlite-home.ts";

async function driven(home: SqliteHome) {
  const store = await home.openHost();
  const pen = await newSession(store, "s");
  const taken = await store.append(pen.append("s", [titleSet("driven")], { reserve: 1_000_000 }));
  const fence = taken.status === "ok" ? (taken.fence ?? 0) : 0;
  const say = (cursor: number, text: string): boolean =>
    store.savePieces({ session: "s", fence, n: pen.head.n, pieces: [piece(cursor, text)] });
  return { store, pen, fence, say };
}

/** Reads the log in a transaction of its own; `between` happens after it began, before it looks beside the database. */
async function readWhile(home: SqliteHome, between: () => Promise<void>) {
  const database = openHomeDatabase(home.folder, { allowNetworkFileSystem: false });
  const saved: SavedPieces = new PieceFolder(join(home.folder, "pieces"));
  const host = {
    id: "r",
    beat: 0,
    ended: false,
    pid: 1,
    startedAt: "",
    bootId: "",
    pidNamespace: "",
    machineId: "",
  };
  const context = new OperationContext({ database, blobs: blobFileCleanup(""), saved, host });
  try {
    database.execute("BEGIN");
    // The transaction sees what was committed when it first read.
    database.one("SELECT count(*) AS count FROM rows");
    await between();
    return readLog(context, { session: "s", after: 0, limit: 100 });
  } finally {
    database.execute("COMMIT");
    database.close();
  }
}

test("streamed text needs no commit, and none of it is in the database", async () => {
  await using home = await sqliteHome();
  const { store, pen, say } = await driven(home);
  const before = await store.stats();
  for (let word = 0; word < 100; word += 1) expect(say(pen.head.seq + word, "x")).toBe(true);
  expect(await store.stats()).toEqual(before);
  expect((await store.read("s", { after: 0, limit: 10 }))?.pieces).toHaveLength(100);
});

test("text that was saved after a later row is not shown to who does not see that row", async () => {
  await using home = await sqliteHome();
  const { store, pen, fence, say } = await driven(home);
  const { seq } = pen.head;
  say(seq, "one");
  const page = await readWhile(home, async () => {
    const after = pen.head;
    const rows = pen.rows([titleSet("in between")], { gap: 3, mid: true });
    await store.append({ ...pen.append("s", [], { fence }), after, rows, state: pen.state });
    expect(say(pen.head.seq, "two")).toBe(true);
  });
  expect(page?.rows).toHaveLength(2);
  expect(page?.pieces.map(({ text }) => text)).toEqual(["one"]);
});

test("the next reply's text is not shown to who does not see the end of the last one", async () => {
  await using home = await sqliteHome();
  const { store, pen, fence, say } = await driven(home);
  say(pen.head.seq, "one");
  const page = await readWhile(home, async () => {
    const after = pen.head;
    const rows = pen.rows([titleSet("held")], { gap: 3 });
    await store.append({
      ...pen.append("s", [], { fence, clearPieces: true }),
      after,
      rows,
      state: pen.state,
    });
    expect(say(pen.head.seq, "next")).toBe(true);
  });
  expect(page?.pieces.map(({ text }) => text)).not.toContain("next");
});

test("a home keeps no text of sessions that are removed, given back or closed", async () => {
  await using home = await sqliteHome();
  const { store, pen, fence, say } = await driven(home);
  const folder = join(home.folder, "pieces");
  const sizes = (): readonly number[] => readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  const empty = (): boolean => sizes().every((size) => size < 20);
  say(pen.head.seq, "private");
  expect(empty()).toBe(false);
  await store.remove("s");
  expect(empty()).toBe(true);

  const again = await newSession(store, "t");
  const taken = await store.append(again.append("t", [titleSet("driven")], { reserve: 1_000 }));
  const newFence = taken.status === "ok" ? (taken.fence ?? 0) : 0;
  expect(newFence).toBeGreaterThan(fence);
  store.savePieces({ session: "t", fence: newFence, n: 2, pieces: [piece(again.head.seq, "private")] });
  expect(empty()).toBe(false);
  await store.append(again.append("t", [], { fence: newFence, clearPieces: true, release: true }));
  expect(empty()).toBe(true);
  await store[Symbol.asyncDispose]();
  expect(readdirSync(folder)).toEqual([]);
});

test("a host that closes in the middle of a reply leaves its text to who takes over", async () => {
  await using home = await sqliteHome();
  const { store, pen, say } = await driven(home);
  say(pen.head.seq, "unfinished");
  await store[Symbol.asyncDispose]();
  const next = await home.openHost();
  await next.findDead();
  await next.takeOver("s", store.hostId);
  await next.forgetHost(store.hostId);
  expect((await next.read("s", { after: 0, limit: 10 }))?.pieces.map(({ text }) => text)).toEqual([
    "unfinished",
  ]);
});

test("where other machines may share the folder, text goes through the database", async () => {
  await using home = await sqliteHome();
  const { startThread } = await builtStore();
  await using store = await sqliteStore({
    home: home.folder,
    identity: readIdentity(process.pid),
    openBackend: inOwnThread(startThread),
    allowNetworkFileSystem: true,
  });
  const pen = await newSession(store, "s");
  const taken = await store.append(pen.append("s", [titleSet("driven")], { reserve: 1_000 }));
  const fence = taken.status === "ok" ? (taken.fence ?? 0) : 0;
  expect(store.savePieces({ session: "s", fence, n: 2, pieces: [piece(pen.head.seq, "x")] })).toBe(false);
  await store.append(pen.append("s", [], { fence, release: true }));
  expect(readdirSync(join(home.folder, "pieces"))).toEqual([]);
});

test("a reply that began beside the database and went on in it is read once", async () => {
  await using home = await sqliteHome();
  const { store, pen, fence, say } = await driven(home);
  const { seq } = pen.head;
  let end = seq;
  for (let word = 0; word < 2_000; word += 1) {
    say(end, "word ");
    end += 5;
  }
  for (let batch = 0; batch < 2; batch += 1) {
    // Kinds that alternate are not joined.
    const pieces = Array.from({ length: 1_000 }, (_, index) =>
      piece(end + index * 5, "more ", index % 2 === 0 ? "text" : "reasoning"),
    );
    await store.append(pen.append("s", [], { fence, pieces }));
    end += 5_000;
  }
  const read = (await store.read("s", { after: 0, limit: 10 }))?.pieces ?? [];
  expect(read.map(({ text }) => text).join("")).toBe("word ".repeat(2_000) + "more ".repeat(2_000));
  expect((await store.read("s", { after: end - 3, limit: 10 }))?.pieces).toHaveLength(1);
});
