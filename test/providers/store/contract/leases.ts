import { expect, test } from "vitest";
import type { Store } from "../../../../src/core/ports/store.ts";
import { times } from "../../../kit/counts.ts";
import { logPen, titleSet } from "../../../kit/log-pen.ts";
import { drive, newSession, type OpenHome, piece, settled } from "./home.ts";

export function leaseContract(openHome: OpenHome): void {
  test("whoever appends first drives the session until it gives it back", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    const pen = await newSession(a, "s");
    const fence = await drive(a, "s", pen);
    const owner = { hostId: a.hostId, pid: expect.any(Number), alive: true };
    const theirs = pen.append("s", [titleSet("theirs")]);
    expect(await b.append(theirs)).toEqual({ status: "owned", owner });
    expect(await b.append({ ...theirs, fence })).toEqual({ status: "fenced" });
    expect((await b.record("s"))?.owner).toEqual(owner);
    expect(await a.append({ ...theirs, fence, release: true })).toEqual({ status: "ok", fence: undefined });
    expect((await b.record("s"))?.owner).toBeUndefined();
    expect(await a.append({ ...pen.append("s", []), fence })).toEqual({ status: "fenced" });
    expect(await drive(b, "s", pen)).toBeGreaterThan(fence);
  });

  test("a host that does not show its fence is fenced off from itself", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await newSession(store, "s");
    const fence = await drive(store, "s", pen);
    const next = pen.append("s", [titleSet("next")]);
    expect(await store.append(next)).toEqual({ status: "fenced" });
    expect(await store.append({ ...next, fence: fence + 1 })).toEqual({ status: "fenced" });
    expect(await store.append({ ...next, fence })).toEqual({ status: "ok", fence });
  });

  test("an append that gives the lease back at once holds it at no time", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    const pen = await newSession(a, "s");
    expect(await a.append(pen.append("s", [titleSet("1")], { release: true }))).toEqual({
      status: "ok",
      fence: undefined,
    });
    expect(await b.append(pen.append("s", [titleSet("2")], { release: true }))).toEqual({
      status: "ok",
      fence: undefined,
    });
    expect((await a.record("s"))?.owner).toBeUndefined();
    expect(await a.findDead()).toEqual([]);
  });

  test("of hosts that reach for one session at once, one gets it", async () => {
    await using home = await openHome();
    const stores = [await home.openHost(), await home.openHost(), await home.openHost()];
    const [first] = stores;
    if (first === undefined) throw new Error("three hosts were opened");
    const pen = await newSession(first, "s");
    let last = 0;
    for (let round = 0; round < times(100); round += 1) {
      const request = pen.append("s", [titleSet(`round ${round}`)]);
      const results = await Promise.all(stores.map((store) => store.append(request)));
      const winner = results.findIndex(({ status }) => status === "ok");
      const won = results[winner];
      expect(results.filter(({ status }) => status === "owned")).toHaveLength(2);
      if (won?.status !== "ok" || won.fence === undefined) throw new Error("nobody got the lease");
      expect(won.fence).toBeGreaterThan(last);
      last = won.fence;
      await stores[winner]?.append(pen.append("s", [], { fence: won.fence, release: true }));
    }
    expect((await first.record("s"))?.state).toEqual(pen.state);
  });

  test("a dead owner's session is taken over once, under a higher fence", async () => {
    await using home = await openHome();
    const dead = await home.openHost();
    const a = await home.openHost();
    const b = await home.openHost();
    const pen = await newSession(dead, "s");
    const fence = await drive(dead, "s", pen);
    expect(await a.takeOver("s", dead.hostId)).toBeUndefined();
    expect(await a.findDead()).toEqual([]);
    await home.kill(dead);

    const request = pen.append("s", [titleSet("on")]);
    expect(await a.append(request)).toMatchObject({
      status: "owned",
      owner: { hostId: dead.hostId, alive: false },
    });
    expect((await a.list({ limit: 1, offset: 0, includeEmpty: true }))[0]?.owner?.alive).toBe(false);
    expect(await a.findDead()).toEqual([
      { hostId: dead.hostId, children: [], sessions: ["s"], newBoot: false },
    ]);

    const taken = (await Promise.all([a.takeOver("s", dead.hostId), b.takeOver("s", dead.hostId)])).filter(
      (lease) => lease !== undefined,
    );
    expect(taken).toHaveLength(1);
    expect(taken[0]?.fence).toBeGreaterThan(fence);
    const winner = (await a.record("s"))?.owner?.hostId === a.hostId ? a : b;
    expect(await winner.append({ ...request, fence: taken[0]?.fence })).toMatchObject({ status: "ok" });
    expect(await a.takeOver("s", dead.hostId)).toBeUndefined();
    expect(await a.takeOver("nobody", dead.hostId)).toBeUndefined();
  });

  test("who was taken over is fenced off", async () => {
    await using home = await openHome();
    const paused = await home.openHost({ remote: true, asleep: true });
    const other = await home.openHost();
    const pen = await newSession(paused, "s");
    const fence = await drive(paused, "s", pen);
    await stillFor(home.clock, [other], { ms: 12_000 });
    const lease = await other.takeOver("s", paused.hostId);
    expect(lease?.fence).toBeGreaterThan(fence);
    const late = pen.append("s", [titleSet("late")], { fence });
    expect(await paused.append(late)).toEqual({ status: "fenced" });
    expect((await other.read("s", { after: 0, limit: 10 }))?.rows).toHaveLength(2);
  });

  test("a dead host is reported until it is forgotten, and not before its sessions are taken over", async () => {
    await using home = await openHome();
    const dead = await home.openHost();
    const store = await home.openHost();
    const pen = await newSession(dead, "s");
    await drive(dead, "s", pen);
    const child = { pid: 4_242, startedAt: "17", session: "s", label: "npm test" };
    await dead.recordChild(child);
    await dead.recordChild({ ...child, pid: 4_243 });
    await dead.forgetChild(4_243);
    await home.kill(dead);

    const report = { hostId: dead.hostId, children: [child], sessions: ["s"], newBoot: false };
    expect(await store.findDead()).toEqual([report]);
    expect(await store.findDead()).toEqual([report]);
    await store.forgetHost(dead.hostId);
    expect(await store.findDead()).toEqual([{ ...report, children: [] }]);
    await store.takeOver("s", dead.hostId);
    expect(await store.findDead()).toEqual([{ ...report, children: [], sessions: [] }]);
    await store.forgetHost(dead.hostId);
    await store.forgetHost(dead.hostId);
    expect(await store.findDead()).toEqual([]);
  });

  test("a host of an earlier boot died with the machine", async () => {
    await using home = await openHome();
    const old = await home.openHost({ oldBoot: true });
    const pen = await newSession(old, "s");
    await drive(old, "s", pen);
    const store = await home.openHost();
    expect(await store.findDead()).toEqual([
      { hostId: old.hostId, children: [], sessions: ["s"], newBoot: true },
    ]);
  });

  test("a host that closes with work in hand leaves it to others", async () => {
    await using home = await openHome();
    const leaver = await home.openHost();
    const store = await home.openHost();
    const pen = await newSession(leaver, "s");
    await drive(leaver, "s", pen);
    await leaver[Symbol.asyncDispose]();
    expect((await store.record("s"))?.owner?.alive).toBe(false);
    expect((await store.findDead()).map(({ hostId }) => hostId)).toEqual([leaver.hostId]);
    expect(await store.takeOver("s", leaver.hostId)).toBeDefined();
  });

  test("a host that closes with nothing in hand leaves no trace", async () => {
    await using home = await openHome();
    const leaver = await home.openHost();
    const store = await home.openHost();
    const pen = await newSession(leaver, "s");
    const fence = await drive(leaver, "s", pen);
    await leaver.append(pen.append("s", [], { fence, release: true }));
    await leaver[Symbol.asyncDispose]();
    expect(await store.findDead()).toEqual([]);
  });

  test("a process that runs keeps its sessions however long it is silent", async () => {
    await using home = await openHome();
    const owner = await home.openHost();
    const store = await home.openHost();
    const pen = await newSession(owner, "s");
    await drive(owner, "s", pen);
    home.clock.advance(3_600_000);
    expect((await store.record("s"))?.owner?.alive).toBe(true);
    expect(await store.findDead()).toEqual([]);
  });

  test("a heartbeat is all that a host elsewhere is known by", async () => {
    await using home = await openHome();
    const far = await home.openHost({ remote: true });
    const store = await home.openHost();
    const pen = await newSession(far, "s");
    await drive(far, "s", pen);
    await beatFor(home.clock, [far, store], 60_000);
    expect(await store.findDead()).toEqual([]);
    await home.kill(far);
    await stillFor(home.clock, [store], { ms: 8_000 });
    expect(await store.findDead()).toEqual([]);
    await stillFor(home.clock, [store], { ms: 4_000 });
    expect((await store.findDead()).map(({ hostId }) => hostId)).toEqual([far.hostId]);
    expect((await store.record("s"))?.owner?.alive).toBe(false);
    expect(await store.takeOver("s", far.hostId)).toBeDefined();
  });

  test("time asleep is no time watched", async () => {
    await using home = await openHome();
    const far = await home.openHost({ remote: true });
    const store = await home.openHost();
    const pen = await newSession(far, "s");
    await drive(far, "s", pen);
    await home.kill(far);
    expect(await store.findDead()).toEqual([]);
    // The lid is closed for an hour, three times.
    for (let nap = 0; nap < 3; nap += 1) {
      await stillFor(home.clock, [store], { ms: 3_600_000, step: 3_600_000 });
      expect(await store.findDead()).toEqual([]);
    }
    await stillFor(home.clock, [store], { ms: 4_000 });
    expect(await store.findDead()).toHaveLength(1);
  });

  test("cursors stay reserved whoever drives", async () => {
    await using home = await openHome();
    const dead = await home.openHost();
    const store = await home.openHost();
    const pen = await newSession(dead, "s");
    const taken = await dead.append(pen.append("s", [titleSet("1")], { reserve: 1_000 }));
    const fence = taken.status === "ok" ? taken.fence : undefined;
    await dead.append(pen.append("s", [titleSet("2")], { fence, reserve: 500 }));
    // Text beyond what is reserved reserves more before anybody sees it.
    const far = [piece(1_500, "far")];
    await dead.append(pen.append("s", [], { fence, reserve: 2_000, pieces: far }));
    await home.kill(dead);
    expect(await store.takeOver("s", dead.hostId)).toMatchObject({ reserved: 2_000 });
  });

  test("what is reserved outlives the lease", async () => {
    await using home = await openHome();
    const dead = await home.openHost();
    const store = await home.openHost();
    const pen = await newSession(store, "s");
    await store.append(pen.append("s", [titleSet("1")], { reserve: 3_000, release: true }));
    await drive(dead, "s", pen);
    await home.kill(dead);
    expect(await store.takeOver("s", dead.hostId)).toMatchObject({ reserved: 3_000 });
  });

  test("a session that somebody drives is not removed under them", async () => {
    await using home = await openHome();
    const owner = await home.openHost();
    const store = await home.openHost();
    const pen = await newSession(owner, "s");
    await drive(owner, "s", pen);
    await expect(store.remove("s")).rejects.toMatchObject({
      code: "session_busy",
      message: expect.stringContaining("s"),
    });
    await home.kill(owner);
    expect(await store.remove("s")).toBe(true);
  });

  test("a closed store says so", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    await newSession(store, "s");
    const last = store.record("s");
    await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()]);
    expect((await last)?.id).toBe("s");
    const calls: (() => Promise<unknown>)[] = [
      () => store.record("s"),
      () => store.append(logPen().append("s", [])),
      () => store.findDead(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: "store_unavailable" });
  });
}

type Clock = { advance(ms: number): void };

/** Time passes in which everybody's heart beats. */
async function beatFor(clock: Clock, stores: readonly Store[], ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    clock.advance(1_000);
    await settled(...stores);
    for (const store of stores) await store.findDead();
  }
}

/** Time passes in which `stores` look; nobody's heart beats that is not among them. */
async function stillFor(
  clock: Clock,
  stores: readonly Store[],
  { ms, step = 1_000 }: { readonly ms: number; readonly step?: number },
): Promise<void> {
  for (let passed = 0; passed < ms; passed += step) {
    for (const store of stores) await store.findDead();
    clock.advance(step);
    await settled(...stores);
  }
  for (const store of stores) await store.findDead();
}
