import { copyFile, mkdtemp, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { expect, test } from "vitest";
import type { SessionRecord, Store } from "../../../../src/core/ports/store.ts";
import type { StoredRow } from "../../../../src/core/ports/stored-row.ts";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { random, times } from "../../../kit/counts.ts";
import { logPen, sessionStart, titleSet, turnStart } from "../../../kit/log-pen.ts";
import { runProgram } from "../../../kit/run-program.ts";
import { builtStore } from "./built-store.ts";
import { newSession } from "../contract/home.ts";
import { type SqliteHome, sqliteHome } from "./sqlite-home.ts";

/** The database as somebody else may write to it. */
function tamper(home: SqliteHome) {
  const database = new DatabaseSync(home.database, { timeout: 5_000 });
  database.exec("PRAGMA synchronous = OFF");
  return {
    run: (sql: string, ...values: SQLInputValue[]) => database.prepare(sql).run(...values),
    one: (sql: string, ...values: SQLInputValue[]) => database.prepare(sql).get(...values) ?? {},
    [Symbol.dispose]: () => database.close(),
  };
}

async function aLog(store: Store, id: string, length: number): Promise<readonly StoredRow[]> {
  const pen = logPen();
  const events = Array.from({ length: length - 2 }, (_, index) => titleSet(`Title ${index} ü`));
  const rows = pen.rows([sessionStart(), turnStart("Hello"), ...events], { gap: 3 });
  await store.create(id, rows, pen.state);
  return rows;
}

const listed = async (store: Store, id: string): Promise<SessionRecord | undefined> =>
  (await store.list({ limit: 100, offset: 0 })).find((record) => record.id === id);

const COLUMNS = ["session", "seq", "n", "at", "type", "mid", "body", "crc"] as const;

/** A value with one bit flipped. */
function flipped(
  value: unknown,
  next: () => number,
): { readonly sql: string; readonly value: SQLInputValue } {
  if (typeof value === "string") {
    const bytes = Buffer.from(value);
    const at = Math.floor(next() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(next() * 8));
    return { sql: "CAST(? AS TEXT)", value: bytes };
  }
  const bit = 1n << BigInt(Math.floor(next() * 64));
  return { sql: "?", value: BigInt.asIntN(64, BigInt(Number(value)) ^ bit) };
}

// Many rows are read at once, few one by one.
test.for([12, 40])(
  "a flipped bit in any of %i rows is found, and what stands before it is read",
  { timeout: 600_000 },
  async (length) => {
    await using home = await sqliteHome();
    const store = await home.openHost();
    const rows = await aLog(store, "s", length);
    const state = (await store.record("s"))?.state;
    using hand = tamper(home);
    hand.run("CREATE TEMP TABLE good AS SELECT * FROM rows");
    const next = random();
    for (let count = 0; count < times(5_000); count += 1) {
      const row = rows[Math.floor(next() * rows.length)];
      const column = COLUMNS[Math.floor(next() * COLUMNS.length)];
      if (row === undefined || column === undefined) throw new Error("there are rows and columns");
      const place = hand.one(
        "SELECT session, seq, n, at, type, mid, body, crc FROM rows WHERE seq = ?",
        row.seq,
      );
      const flip = flipped(place[column], next);
      const change = `UPDATE OR IGNORE rows SET ${column} = ${flip.sql} WHERE seq = ?`;
      // Two rows cannot say that they stand at the same place.
      if (hand.run(change, flip.value, row.seq).changes === 0) continue;

      const newest = await store.readBefore("s", 1e9, 100);
      const page = await store.read("s", { after: 0, limit: 100 });
      const damagedAt = page?.damagedAt ?? 0;
      // A row that says that it stands earlier hides what comes after that place.
      expect(damagedAt, `row ${row.n}, ${column}`).toBeGreaterThan(0);
      expect(damagedAt).toBeLessThanOrEqual(row.n);
      expect(column === "seq" || damagedAt === row.n).toBe(true);
      expect(page?.rows).toEqual(rows.slice(0, damagedAt - 1));
      expect(newest).toEqual(page?.rows);
      expect(page).toMatchObject({ more: false, pieces: [], head: { n: rows.length } });
      expect(await listed(store, "s")).toEqual({ id: "s", state, damaged: true });
      const after = rows[damagedAt - 1]?.seq ?? 0;
      expect(await store.read("s", { after, limit: 100 })).toMatchObject({ rows: [], damagedAt });
      const before = await store.readBefore("s", 1e9, 3);
      expect(before).toEqual(rows.slice(0, damagedAt - 1).slice(-3));

      hand.run("DELETE FROM rows");
      hand.run("INSERT INTO rows SELECT * FROM good");
      hand.run("UPDATE sessions SET damaged_at = NULL");
      expect((await store.read("s", { after: 0, limit: 100 }))?.rows).toHaveLength(rows.length);
    }
  },
);

test.for([8, 40])(
  "the last of %i rows that says that it stands before all others hides them",
  async (length) => {
    await using home = await sqliteHome();
    const store = await home.openHost();
    await aLog(store, "s", length);
    using hand = tamper(home);
    hand.run("UPDATE rows SET seq = -1 - seq WHERE n = ?", length);
    expect(await store.readBefore("s", 1e9, 100)).toEqual([]);
    expect(await store.read("s", { after: 0, limit: 100 })).toMatchObject({ rows: [], damagedAt: 1 });
  },
);

test.for([8, 40])("a row that is missing among %i is damage too", async (length) => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  const rows = await aLog(store, "s", length);
  await aLog(store, "beside", length);
  using hand = tamper(home);
  for (const n of [length, length / 2, 1]) {
    hand.run("DELETE FROM rows WHERE n = ? AND session = (SELECT key FROM sessions WHERE id = 's')", n);
    const page = await store.read("s", { after: 0, limit: 100 });
    expect(page).toMatchObject({ rows: rows.slice(0, n - 1), damagedAt: n });
    expect((await store.record("s"))?.damaged).toBe(true);
  }
  expect((await store.read("beside", { after: 0, limit: 100 }))?.damagedAt).toBeUndefined();
  expect((await store.record("beside"))?.damaged).toBe(false);
});

test("rows that are sound but no JSON are damage", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  const pen = logPen();
  const [row] = pen.rows([sessionStart()]);
  if (row === undefined) throw new Error("one row was written");
  await store.create("s", [{ ...row, body: `{"type":` }], pen.state);
  expect(await store.read("s", { after: 0, limit: 1 })).toMatchObject({ rows: [], damagedAt: 1 });

  const more = logPen();
  const rows = more.rows(Array.from({ length: 40 }, (_, index) => titleSet(`Title ${index}`)));
  const readable = rows.slice(0, 29);
  for (const [id, body] of [
    ["cut", (text: string) => `${text}\n{`],
    ["braced", () => `{"type":}`],
  ] as const) {
    const odd = rows.map((each) => (each.n === 30 ? { ...each, body: body(each.body) } : each));
    await store.create(id, odd, more.state);
    expect(await store.read(id, { after: 0, limit: 100 })).toMatchObject({ rows: readable, damagedAt: 30 });
    expect(await store.readBefore(id, 1e9, 5)).toEqual(readable.slice(-5));
    expect(await store.readBefore(id, 1e9, 100)).toEqual(readable);
  }
});

test("a branch of a damaged session is sound up to where it was taken, and damaged beyond", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  const rows = await aLog(store, "s", 8);
  using hand = tamper(home);
  hand.run("UPDATE rows SET at = at + 1 WHERE n = 5");
  for (const [id, length] of [
    ["early", 4],
    ["late", 6],
  ] as const) {
    const at = rows[length - 1];
    if (at === undefined) throw new Error("there are eight rows");
    const pen = logPen(undefined, { ...logPen().state, n: at.n, seq: at.seq });
    const more = pen.rows([{ type: "session.branch", parentId: "s", title: "" }]);
    await store.branch("s", { n: at.n, seq: at.seq }, { id, rows: more, state: pen.state });
  }
  expect((await store.read("early", { after: 0, limit: 100 }))?.damagedAt).toBeUndefined();
  expect((await store.read("late", { after: 0, limit: 100 }))?.damagedAt).toBe(5);
});

test("a state that is damaged or of another version is made anew from the rows", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  await aLog(store, "s", 1_400);
  const state = (await store.record("s"))?.state;
  const sound = { id: "s", state, damaged: false };
  using hand = tamper(home);
  const harm: readonly (readonly [string, ...SQLInputValue[]])[] = [
    ["UPDATE states SET version = 0"],
    ["UPDATE states SET body = replace(body, 'Title', 'Tatle')"],
    ["UPDATE states SET crc = crc + 1"],
    ["DELETE FROM states"],
    ["UPDATE sessions SET n = n + 1"],
    ["UPDATE sessions SET seq = seq - 1"],
    ["UPDATE states SET version = 0, body = 'no JSON'"],
  ];
  for (const [sql, ...values] of harm) {
    hand.run(sql, ...values);
    expect({ sql, ...(await store.record("s")) }).toEqual({ sql, ...sound });
    expect({ sql, ...hand.one("SELECT n, seq FROM sessions") }).toEqual({
      sql,
      n: state?.n,
      seq: state?.seq,
    });
    hand.run(sql, ...values);
    expect({ sql, ...(await listed(store, "s")) }).toEqual({ sql, ...sound });
  }
  const pen = logPen(undefined, state);
  expect(await store.append(pen.append("s", [titleSet("on")]))).toMatchObject({ status: "ok" });
});

test("a state cannot be made anew beyond damaged rows: the readable prefix counts", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  await aLog(store, "s", 20);
  using hand = tamper(home);
  hand.run("UPDATE rows SET crc = crc + 1 WHERE n = 6");
  hand.run("UPDATE states SET crc = crc + 1");
  const record = await listed(store, "s");
  expect(record).toMatchObject({ damaged: true, state: { n: 5, title: "Title 2 ü" } });
  expect(await store.record("s")).toEqual(record);
  expect((await store.read("s", { after: 0, limit: 100 }))?.head.n).toBe(20);
});

async function refusal(folder: string): Promise<HostError> {
  await using home = await sqliteHome({ folder });
  return home.openHost().then(
    () => {
      throw new Error("the store was opened");
    },
    (thrown: unknown) => {
      if (thrown instanceof HostError) return thrown;
      throw thrown;
    },
  );
}

async function inFolder(work: (folder: string, file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "agent-store-"));
  try {
    await work(folder, join(folder, "state.db"));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a file that is no database is refused by name and left as it is", async () => {
  for (const content of ["hello", "x".repeat(100_000), "\0".repeat(5_000)]) {
    await inFolder(async (folder, file) => {
      await writeFile(file, content);
      const error = await refusal(folder);
      expect(error.code).toBe("store_corrupt");
      expect(error.message).toContain(file);
      expect(error.message).toContain("backup");
      expect(error.message).not.toContain("\n");
      expect(await readFile(file, "utf8")).toBe(content);
    });
  }
});

test("another program's database is refused and left as it is", async () => {
  await inFolder(async (folder, file) => {
    const theirs = new DatabaseSync(file);
    theirs.exec("CREATE TABLE notes (text); PRAGMA user_version = 7");
    theirs.close();
    expect(await refusal(folder)).toMatchObject({
      code: "store_corrupt",
      message: expect.stringContaining("another program"),
    });
    const again = new DatabaseSync(file);
    expect(again.prepare("SELECT count(*) AS count FROM sqlite_schema").get()).toEqual({ count: 1 });
    again.close();
  });
});

test("a newer version's database is refused with the remedy", async () => {
  await inFolder(async (folder, file) => {
    {
      await using home = await sqliteHome({ folder });
      await newSession(await home.openHost(), "s");
    }
    const newer = new DatabaseSync(file);
    const version = Number(newer.prepare("PRAGMA user_version").get()?.["user_version"]);
    newer.exec("PRAGMA user_version = 999");
    newer.close();
    const error = await refusal(folder);
    expect(error).toMatchObject({ code: "store_unavailable", message: expect.stringContaining("Update") });
    const back = new DatabaseSync(file);
    back.exec(`PRAGMA user_version = ${version}`);
    back.close();
    await using home = await sqliteHome({ folder });
    expect(await (await home.openHost()).record("s")).toMatchObject({ id: "s" });
  });
});

test("a database that is gone while its log is there is no fresh start", async () => {
  await inFolder(async (folder, file) => {
    {
      await using home = await sqliteHome({ folder });
      await newSession(await home.openHost(), "s");
    }
    // Only a process that was killed leaves a log behind.
    const { program } = await builtStore();
    const running = runProgram(program("append"), [folder, "s"], () => running.process.kill("SIGKILL"));
    await running.end;
    await copyFile(`${file}-wal`, `${file}-kept`);
    for (const lose of [() => truncate(file, 0), () => rm(file)]) {
      await lose();
      await copyFile(`${file}-kept`, `${file}-wal`);
      expect(await refusal(folder)).toMatchObject({ code: "store_corrupt" });
      expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
    }
  });
});

const REFUSALS = new Set(["store_corrupt", "store_unavailable"]);

test("a flipped bit anywhere in the file is never a wrong answer", { timeout: 600_000 }, async () => {
  await inFolder(async (folder, file) => {
    const ids = ["one", "two", "three"];
    const logs = new Map<string, readonly StoredRow[]>();
    {
      await using home = await sqliteHome({ folder });
      const store = await home.openHost();
      for (const id of ids) logs.set(id, await aLog(store, id, 150));
    }
    const good = await readFile(file);
    const next = random();
    for (let count = 0; count < times(400); count += 1) {
      const bad = Buffer.from(good);
      const at = Math.floor(next() * bad.length);
      bad[at] = (bad[at] ?? 0) ^ (1 << Math.floor(next() * 8));
      await rm(`${file}-wal`, { force: true });
      await rm(`${file}-shm`, { force: true });
      await writeFile(file, bad);
      try {
        await using home = await sqliteHome({ folder });
        const store = await home.openHost();
        for (const [id, rows] of logs) {
          const page = await store.read(id, { after: 0, limit: 1_000 }).catch(corrupt);
          if (page === undefined) continue;
          expect(page.rows, `byte ${at}`).toEqual(rows.slice(0, page.rows.length));
          const record = await store.record(id).catch(corrupt);
          const told =
            page.damagedAt === undefined ? page.rows.length === rows.length : record?.damaged !== false;
          expect(told, `byte ${at}`).toBe(true);
        }
        await store.list({ limit: 10, offset: 0 }).catch(corrupt);
      } catch (thrown) {
        // The file may no longer be opened at all, for one clear reason.
        if (!(thrown instanceof HostError) || !REFUSALS.has(thrown.code)) throw thrown;
      }
    }
  });
});

function corrupt(thrown: unknown): undefined {
  expect(thrown).toMatchObject({ code: "store_corrupt" });
}
