import { statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Store } from "../../../../src/core/ports/store.ts";
import {
  inCallersThread,
  inOwnThread,
  readIdentity,
  sqliteStore,
} from "../../../../src/providers/store/index.ts";
import { random, times } from "../../../kit/counts.ts";
import { logPen, sessionStart, titleSet } from "../../../kit/log-pen.ts";
import { runProgram } from "../../../kit/run-program.ts";
import { builtStore } from "./built-store.ts";
import { drive, newSession, piece } from "../contract/home.ts";
import { sqliteHome, type StoreThread } from "./sqlite-home.ts";

/** A home for hosts that are processes; the database of each works in the thread that is named. */
async function realHome(thread: StoreThread) {
  const folder = await mkdtemp(join(tmpdir(), "agent-store-"));
  const { program, startThread } = await builtStore();
  const openBackend = thread === "callers" ? inCallersThread : inOwnThread(startThread);
  const inThread = thread === "callers" ? ["--callers-thread"] : [];
  const open: Store[] = [];
  return {
    folder,
    command: (name: "append" | "open", ...args: readonly string[]) =>
      [program(name), [folder, ...args, ...inThread]] as const,
    async openHost() {
      const store = await sqliteStore({ home: folder, identity: readIdentity(process.pid), openBackend });
      open.push(store);
      return store;
    },
    async [Symbol.asyncDispose]() {
      for (const store of open) await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** Runs the appending program until it has confirmed so many things, then kills it. */
async function appendUntilKilled(
  command: readonly [program: string, args: readonly string[]],
  confirmations: number,
): Promise<{
  readonly tokens: readonly string[];
  readonly rows: Map<number, number>;
  readonly fence: number;
}> {
  const tokens: string[] = [];
  const rows = new Map<number, number>();
  let fence = 0;
  let left = confirmations;
  const running = runProgram(...command, (line) => {
    const [what, first = "", second] = line.split(" ");
    if (what === "fence") fence = Number(first);
    else if (what === "t") tokens.push(first);
    else if (what === "r") rows.set(Number(first), Number(second));
    left -= 1;
    if (left === 0) running.process.kill("SIGKILL");
  });
  const { signal, stderr } = await running.end;
  expect({ signal, stderr }).toEqual({ signal: "SIGKILL", stderr: "" });
  return { tokens, rows, fence };
}

describe.each<StoreThread>(["own", "callers"])("a database in a thread: %s", (thread) => {
  test(
    "nothing that was confirmed is lost by kill -9, and nothing is there twice",
    { timeout: 600_000 },
    async () => {
      await using home = await realHome(thread);
      const store = await home.openHost();
      await newSession(store, "s");
      const next = random();
      const confirmed: string[] = [];
      const seen: string[] = [];
      let verified = { n: 1, seq: 1 };
      let lastFence = 0;
      for (let life = 0; life < times(200); life += 1) {
        const most = String(1 + Math.floor(next() * 20));
        const {
          tokens,
          rows: unseen,
          fence,
        } = await appendUntilKilled(home.command("append", "s", most), 1 + Math.floor(next() * 400));
        expect(fence).toBeGreaterThan(lastFence);
        lastFence = fence;
        confirmed.push(...tokens);

        const held: string[] = [];
        for (;;) {
          const page = await store.read("s", { after: verified.seq, limit: 500 });
          if (page === undefined) throw new Error("the session is gone");
          expect(page.damagedAt).toBeUndefined();
          for (const row of page.rows) {
            expect(row.n).toBe(verified.n + 1);
            expect(row.seq).toBeGreaterThan(verified.seq);
            expect(unseen.get(row.n) ?? row.seq).toBe(row.seq);
            unseen.delete(row.n);
            verified = { n: row.n, seq: row.seq };
            seen.push(...tokensIn(JSON.parse(row.body)));
          }
          if (page.more) continue;
          held.push(...page.pieces.flatMap(({ text }) => text.match(/[^;]+;/g) ?? []));
          break;
        }
        // Every confirmed row was met, and every confirmed token stands once, in order, in a row or as streamed text.
        expect([...unseen.keys()]).toEqual([]);
        const all = [...seen, ...held];
        expect(new Set(all).size).toBe(all.length);
        expect(all.filter((token) => confirmed.includes(token) || !tokens.includes(token)).length).toBe(
          all.length,
        );
        const known = new Set(confirmed);
        expect(all.filter((token) => known.has(token))).toEqual(confirmed);
        expect((await store.record("s"))?.owner).toMatchObject({ alive: false });
      }
    },
  );

  test("twenty processes that start at once on a fresh home all work", async () => {
    await using home = await realHome(thread);
    const names = Array.from({ length: 20 }, (_, index) => `s${index}`);
    const ends = await Promise.all(names.map((name) => runProgram(...home.command("open", name, "5")).end));
    for (const end of ends) expect(end).toEqual({ code: 0, signal: null, stdout: "ok\n", stderr: "" });
    const store = await home.openHost();
    const listed = await store.list({ limit: 100, offset: 0, includeEmpty: true });
    expect(listed.map(({ id }) => id).sort()).toEqual(names.sort());
    expect(listed.every(({ state, damaged }) => state.n === 6 && !damaged)).toBe(true);
  });

  test("processes that write without pause all get their turn", async () => {
    await using home = await realHome(thread);
    const names = ["a", "b", "c", "d"];
    const ends = await Promise.all(names.map((name) => runProgram(...home.command("open", name, "300")).end));
    for (const end of ends) expect(end).toMatchObject({ code: 0, stderr: "" });
    const store = await home.openHost();
    for (const name of names) expect((await store.record(name))?.state.n).toBe(301);
  });

  test("a process ends although its store is open, and what it did is there", async () => {
    await using home = await realHome(thread);
    const end = await runProgram(...home.command("open", "s", "3", "leave")).end;
    expect(end).toEqual({ code: 0, signal: null, stdout: "ok\n", stderr: "" });
    expect((await (await home.openHost()).record("s"))?.state.n).toBe(4);
  });

  test("a process that is killed is dead to all others at once, and not before", async () => {
    await using home = await realHome(thread);
    const store = await home.openHost();
    await newSession(store, "s");
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = runProgram(...home.command("append", "s", "5"), () => resolve());
    await promise;
    running.process.kill("SIGSTOP");
    expect((await store.record("s"))?.owner).toMatchObject({ pid: running.process.pid, alive: true });
    expect(await store.findDead()).toEqual([]);
    running.process.kill("SIGKILL");
    await running.end;
    expect((await store.record("s"))?.owner).toMatchObject({ pid: running.process.pid, alive: false });
    expect(await store.findDead()).toMatchObject([{ sessions: ["s"], newBoot: false }]);
  });

  test("appends that come together wait for the disk together", async () => {
    await using home = await sqliteHome({ thread });
    const store = await home.openHost();
    const pens = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => ({
        id: `s${index}`,
        pen: await newSession(store, `s${index}`),
      })),
    );
    const before = await store.stats();
    const results = await Promise.all(
      pens.map(({ id, pen }) => store.append(pen.append(id, [titleSet("x")]))),
    );
    const after = await store.stats();
    expect(results.every(({ status }) => status === "ok")).toBe(true);
    expect(after.appends - before.appends).toBe(200);
    expect(after.syncs - before.syncs).toBeLessThanOrEqual(3);

    // While one batch is written the next one gathers.
    await Promise.all(
      pens.map(async ({ id, pen }, index) => {
        for (let turn = 0; turn < index % 4; turn += 1) await store.record(id);
        const result = results[index];
        const fence = result?.status === "ok" ? result.fence : undefined;
        return store.append(pen.append(id, [titleSet("y")], { fence }));
      }),
    );
    expect((await store.stats()).syncs - after.syncs).toBeLessThanOrEqual(20);
  });

  test("one request that is refused takes no other with it", async () => {
    await using home = await sqliteHome({ thread });
    const store = await home.openHost();
    const other = await home.openHost();
    const ids = ["a", "b", "c", "d"];
    const pens = await Promise.all(ids.map((id) => newSession(store, id)));
    const [a, b, c] = pens;
    if (a === undefined || b === undefined || c === undefined) throw new Error("four sessions were made");
    await drive(other, "b", b);
    const lost = logPen(undefined, { ...c.state, n: 7, seq: 7 });
    const branchRows = lost.rows([{ type: "session.branch", parentId: "c", title: "" }]);
    const answers = await Promise.allSettled([
      store.append(a.append("a", [titleSet("x")])),
      store.append(b.append("b", [titleSet("x")])),
      store.branch("c", { n: 7, seq: 7 }, { id: "e", rows: branchRows, state: lost.state }),
      store.append(c.append("c", [titleSet("x")])),
      store.append(logPen().append("nobody", [sessionStart()])),
      store.create("d", [], logPen().state),
    ]);
    expect(
      answers.map((answer) => (answer.status === "fulfilled" ? answer.value : answer.reason.code)),
    ).toEqual([
      { status: "ok", fence: expect.any(Number) },
      { status: "owned", owner: expect.anything() },
      "session_not_found",
      { status: "ok", fence: expect.any(Number) },
      { status: "gone" },
      false,
    ]);
    expect(await store.record("e")).toBeUndefined();
  });

  test("streamed text does not wait for the disk unless it goes past what is reserved", async () => {
    await using home = await sqliteHome({ thread });
    const store = await home.openHost();
    const pen = await newSession(store, "s");
    const taken = await store.append(pen.append("s", [titleSet("x")], { reserve: 100 }));
    const fence = taken.status === "ok" ? taken.fence : undefined;
    const syncsOf = async (work: Promise<unknown>): Promise<number> => {
      const before = (await store.stats()).syncs;
      await work;
      return (await store.stats()).syncs - before;
    };
    const say = (cursor: number, text: string) =>
      store.append(pen.append("s", [], { fence, pieces: [piece(cursor, text)], reserve: cursor + 100 }));
    expect(await syncsOf(say(10, "ten letters"))).toBe(0);
    expect(await syncsOf(say(90, "ten letter"))).toBe(0);
    expect(await syncsOf(say(100, "x"))).toBe(1);
    expect(await syncsOf(say(150, "x"))).toBe(0);
    expect(await syncsOf(store.append(pen.append("s", [titleSet("y")], { fence })))).toBe(1);
  });

  test("the write-ahead log does not grow with the history", async () => {
    await using home = await sqliteHome({ thread });
    const store = await home.openHost();
    const pen = await newSession(store, "s");
    const fence = await drive(store, "s", pen);
    const large = "x".repeat(200_000);
    for (let count = 0; count < 300; count += 1) {
      await store.append(
        pen.append("s", [{ type: "notice", level: "info", kind: "k", text: large }], { fence }),
      );
    }
    expect(statSync(home.database).size).toBeGreaterThan(40_000_000);
    expect(statSync(`${home.database}-wal`).size).toBeLessThan(40_000_000);
  });
});

function tokensIn(event: { readonly text?: string }): readonly string[] {
  return event.text?.match(/[^;]+;/g) ?? [];
}
