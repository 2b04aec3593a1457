import { describe, expect, test } from "vitest";
import { ClusterHosts } from "../../../../src/app/cluster/cluster-hosts.ts";
import { Connections } from "../../../../src/providers/store/postgres/connections.ts";
import { statement } from "../../../../src/providers/store/postgres/statement.ts";
import { logPen, sessionStart, titleSet } from "../../../kit/log-pen.ts";
import { testDatabase, testPostgres } from "../../../kit/postgres/index.ts";
import { aCommand, drive, inbox, newSession, ok, piece } from "../contract/home.ts";
import { BEAT, live, type Machine, machine } from "./machine.ts";

const isThere = (await testPostgres()) !== undefined;

/** Time passes on a machine that hears nothing of the others. */
async function silence({ clock, store }: Machine): Promise<void> {
  for (let passed = 0; passed <= 12_000; passed += 3_000) {
    await store.findDead();
    clock.advance(3_000);
  }
}

/** Resolves once so many statements wait for what another transaction holds. */
async function waiting(sql: Connections, count: number): Promise<void> {
  const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await sql.query(statement("waits", text))).length < count);
}

/** What was taken and not answered is nobody's. Gives how many commands that were. */
async function giveBack(url: string): Promise<number> {
  const sql = new Connections({ url, name: "test", most: 1 });
  const all = "UPDATE commands SET taken = NULL WHERE ok IS NULL AND taken IS NOT NULL RETURNING 1";
  const given = await sql.query(statement("give_back", all));
  await sql.close();
  return given.length;
}

const hostsOf = ({ name, clock, store: { records, hostId } }: Machine): ClusterHosts =>
  new ClusterHosts({ records, hostId, clock, machine: { id: name, name } });

// Where no package brings a server for this machine and AGENT_TEST_POSTGRES names none.
describe.skipIf(!isThere)("a host that is cut off from its database", () => {
  test("stops before anybody may take over, and what it held is there for all when it is back", async () => {
    await using database = await testDatabase();
    await using a = await machine(database.url, "a");
    await using b = await machine(database.url, "b");
    const pen = await newSession(a.store, "s");
    const fence = await drive(a.store, "s", pen);
    const [hostsOfA, hostsOfB] = [hostsOf(a), hostsOf(b)];
    await hostsOfA.join();
    await live(a, 20_000);
    expect(a.changes).toEqual([]);

    a.line.set({ cut: true });
    a.clock.advance(7_000);
    expect(a.changes).toEqual([]);
    const late = pen.append("s", [titleSet("late")], { fence });
    const answer = a.store.append(late);
    expect(a.store.isLost).toBe(false);
    a.clock.advance(4_000);
    await a.changed("lost");
    expect(a.store.isLost).toBe(true);
    expect(await a.store.append(late)).toEqual({ status: "fenced" });

    a.line.set({});
    a.line.break();
    await a.changed("died");
    expect(a.store.isLost).toBe(false);
    // It had not reached the database; had it, the row would be there.
    expect(await answer).toEqual({ status: "fenced" });
    const dead = (await b.store.findDead()).filter(({ sessions }) => sessions.includes("s"));
    expect(dead).toHaveLength(1);
    const taken = await b.store.takeOver("s", dead[0]?.hostId ?? "");
    expect(taken?.fence).toBeGreaterThan(fence);
    expect(await a.store.append(late)).toEqual({ status: "fenced" });
    expect(await b.store.append({ ...late, fence: taken?.fence })).toMatchObject({ status: "ok" });
    // It drives again what nobody drives.
    const other = await newSession(a.store, "t");
    expect(await drive(a.store, "t", other)).toBeGreaterThan(fence);
    // A statement that took a session arrives after all: nobody heard of that, so it is given to all.
    await newSession(a.store, "late");
    const sql = new Connections({ url: database.url, name: "test", most: 1 });
    const take = "UPDATE sessions SET host = $1, fence = nextval('fences') WHERE id = 'late'";
    await sql.query(statement("late_take", take), [a.store.hostId]);
    a.changes.length = 0;
    await sql.transaction(async (within) => {
      // As who takes a session for this host and waits for it: its heart beats on all the same.
      await within.query(statement("taker", "SELECT 1 FROM hosts WHERE id = $1 FOR KEY SHARE"), [
        a.store.hostId,
      ]);
      await live(a, 36_000);
      expect(a.changes).toEqual([]);
    });
    await sql.close();
    await a.changed("died");
    const ended = (await b.store.findDead()).filter(({ sessions }) => sessions.includes("late"));
    expect(ended).toMatchObject([{ sessions: ["late"] }]);
    expect(await b.store.takeOver("late", ended[0]?.hostId ?? "")).toBeDefined();
    // One that joins forgets those that are dead; a host that is back says again that it is there.
    await hostsOfB.join();
    a.clock.advance(10_000);
    await expect.poll(() => hostsOfB.isThere("a")).toBe(true);
    await hostsOfA[Symbol.asyncDispose]();
    await hostsOfB[Symbol.asyncDispose]();
  });

  test("waits a while with what it is asked, and an append whose answer was lost is not made twice", async () => {
    await using database = await testDatabase();
    await using a = await machine(database.url, "a");
    await using b = await machine(database.url, "b");
    const pen = await newSession(a.store, "s");
    const fence = await drive(a.store, "s", pen);
    for (let round = 0; round < 5; round += 1) {
      // Over a connection that it knows already.
      expect(await a.store.append(pen.append("s", [titleSet("before")], { fence }))).toEqual({
        status: "ok",
        fence,
      });
      // What goes to the database arrives, and no answer comes back.
      a.line.set({ oneWay: "to client" });
      const appended = a.store.append(pen.append("s", [titleSet(`round ${round}`)], { fence }));
      await expect.poll(async () => (await b.store.record("s"))?.state.title).toBe(`round ${round}`);
      a.line.break();
      a.line.set({});
      expect(await appended).toEqual({ status: "ok", fence });
      expect((await a.store.record("s"))?.state.title).toBe(`round ${round}`);
    }
    // A lease that is taken without a row is held as well.
    const bare = await newSession(a.store, "bare");
    await a.store.append(bare.append("bare", [titleSet("before")], { release: true }));
    a.line.set({ oneWay: "to client" });
    const taken = a.store.append(bare.append("bare", []));
    await expect.poll(async () => (await b.store.record("bare"))?.owner?.hostId).toBe(a.store.hostId);
    a.line.break();
    a.line.set({});
    const lease = await taken;
    expect(lease).toEqual({ status: "ok", fence: expect.any(Number) });
    const held = lease.status === "ok" ? lease.fence : undefined;
    const next = bare.append("bare", [titleSet("next")], { fence: held });
    expect(await a.store.append(next)).toEqual({ status: "ok", fence: held });
    expect(await a.store.append(logPen(undefined, bare.state).append("bare", []))).toEqual({
      status: "fenced",
    });
    // The one before still waits in the database as it is asked for again.
    const sql = new Connections({ url: database.url, name: "test", most: 2 });
    let appended: Promise<unknown> | undefined;
    await sql.transaction(async (within) => {
      await within.query(statement("lock", "SELECT 1 FROM sessions FOR UPDATE"));
      appended = a.store.append(pen.append("s", [titleSet("last")], { fence }));
      await waiting(sql, 1);
      a.line.break();
      await waiting(sql, 2);
    });
    expect(await appended).toEqual({ status: "ok", fence });
    await sql.close();
    expect((await a.store.read("s", { after: 0, limit: 20 }))?.rows).toHaveLength(13);
  });

  test("that is late to hear that its rows are there drives no more what another has taken by then", async () => {
    await using database = await testDatabase();
    await using a = await machine(database.url, "a");
    await using b = await machine(database.url, "b");
    const [pen, later] = [await newSession(a.store, "s"), logPen()];
    // The others know of it already.
    await drive(a.store, "other", await newSession(a.store, "other"));
    const begin = { ...later.append("t", [sessionStart()]), creates: true };
    for (const append of [pen.append("s", [titleSet("driven")]), begin]) {
      const { session } = append;
      // Over a connection that it knows already.
      await a.store.record("other");
      a.line.set({ oneWay: "to client" });
      const appended = a.store.append(append);
      await expect.poll(() => b.store.record(session)).toMatchObject({ owner: { hostId: a.store.hostId } });
      await silence(b);
      expect(await b.store.takeOver(session, a.store.hostId)).toBeDefined();
      // The answer never comes.
      a.line.break();
      a.line.set({});
      expect(await appended).toEqual({ status: "ok", fence: undefined });
    }
    expect((await b.store.record("s"))?.owner?.hostId).not.toBe(a.store.hostId);
  });

  test("that shows life again is not forgotten, and carries out once what it was asked", async () => {
    await using database = await testDatabase();
    await using a = await machine(database.url, "a");
    await using b = await machine(database.url, "b");
    const pen = await newSession(a.store, "s");
    const fence = await drive(a.store, "s", pen);
    const box = inbox(a.store);
    const asked = b.store.send(aCommand("c", "s"));
    await box.holds(1);
    await silence(b);
    expect((await b.store.findDead()).map(({ hostId }) => hostId)).toEqual([a.store.hostId]);
    await live(a, BEAT);
    // Whoever looks again sees its next beat; it was dead at the one before.
    await expect.poll(() => b.store.findDead()).toEqual([]);
    await b.store.forgetHost(a.store.hostId);
    expect(await b.store.isAlive(a.store.hostId)).toBe(true);
    // Whoever gave it back all the same: it is this append's.
    expect(await giveBack(database.url)).toBe(1);
    expect(await a.store.append(pen.append("s", [titleSet("done")], { fence, results: [ok("c")] }))).toEqual({
      status: "ok",
      fence,
    });
    expect(await asked).toEqual(ok("c"));
    await drive(a.store, "t", await newSession(a.store, "t"));
    expect(box.seen).toHaveLength(1);
  });

  test("while the text that a crash took is to be saved again saves none of what follows", async () => {
    await using database = await testDatabase();
    await using a = await machine(database.url, "a");
    const pen = await newSession(a.store, "s");
    const first = await a.store.append(pen.append("s", [titleSet("1")], { reserve: 1_000 }));
    const fence = first.status === "ok" ? first.fence : undefined;
    const { seq } = pen.head;
    const say = (at: number) =>
      a.store.append(pen.append("s", [], { fence, pieces: [piece(seq + at * 5, "word ")] }));
    expect(await say(0)).toMatchObject({ status: "ok" });
    const sql = new Connections({ url: database.url, name: "test", most: 2 });
    await sql.execute("DELETE FROM epoch_marks; DELETE FROM pieces");
    let said: Promise<unknown> | undefined;
    await sql.transaction(async (within) => {
      await within.execute("LOCK TABLE epoch IN EXCLUSIVE MODE");
      await within.execute("SELECT 1 FROM hosts FOR UPDATE");
      said = say(1);
      await waiting(sql, 1);
      a.clock.advance(10_000);
      await waiting(sql, 2);
    });
    expect(await said).toEqual({ status: "fenced" });
    expect((await a.store.read("s", { after: seq, limit: 10 }))?.pieces).toEqual([]);
    await sql.close();
  });
});
