import fc from "fast-check";
import { expect, test } from "vitest";
import type { StoredRow } from "../../../../src/core/ports/stored-row.ts";
import { times } from "../../../kit/counts.ts";
import { logPen, sessionStart, titleSet, turnStart } from "../../../kit/log-pen.ts";
import { drive, newSession, type OpenHome, piece } from "./home.ts";

export function sessionContract(openHome: OpenHome): void {
  test("a session that was created is there with its rows and its state", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = logPen();
    const rows = pen.rows([sessionStart({ cwd: "/somewhere" }), titleSet("First"), turnStart("Hello")]);
    expect(await store.create("a", rows, pen.state)).toBe(true);
    expect(await store.read("a", { after: 0, limit: 10 })).toEqual({
      rows,
      pieces: [],
      head: pen.head,
      more: false,
    });
    expect(await store.record("a")).toEqual({ id: "a", state: pen.state, damaged: false });
    expect(await store.list({ limit: 10, offset: 0 })).toEqual([
      { id: "a", state: pen.state, damaged: false },
    ]);
  });

  test("an id is given once", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await newSession(store, "a");
    const other = logPen();
    const rows = other.rows([sessionStart({ cwd: "/elsewhere" })]);
    expect(await store.create("a", rows, other.state)).toBe(false);
    expect((await store.record("a"))?.state).toEqual(pen.state);
  });

  test("of many hosts that create the same id at once, one succeeds", async () => {
    await using home = await openHome();
    const stores = [await home.openHost(), await home.openHost(), await home.openHost()];
    const made = await Promise.all(
      stores.map((store) => {
        const pen = logPen();
        return store.create("a", pen.rows([sessionStart()]), pen.state);
      }),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
  });

  test("an append can make its session, with the lease or without it, and its id is given once", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    const pen = logPen();
    const { hash } = await a.putBlob(new TextEncoder().encode("picture"));
    const first = pen.append("a", [sessionStart(), turnStart("Hello")], { creates: true, blobs: [hash] });
    const [made, late] = [await a.append(first), await b.append(first)];
    expect(made).toMatchObject({ status: "ok", fence: expect.any(Number) });
    expect(late).toEqual({ status: "exists" });
    expect((await b.record("a"))?.owner).toMatchObject({ hostId: a.hostId, alive: true });
    expect(await b.read("a", { after: 0, limit: 9 })).toMatchObject({ rows: first.rows, head: pen.head });
    const fence = made.status === "ok" ? made.fence : undefined;
    expect(await a.append(pen.append("a", [titleSet("on")], { fence }))).toMatchObject({ status: "ok" });
    const other = logPen();
    const released = other.append("b", [sessionStart()], { creates: true, release: true });
    expect(await a.append(released)).toEqual({ status: "ok", fence: undefined });
    expect(await b.append(other.append("b", [titleSet("taken")]))).toMatchObject({ status: "ok" });
    expect(await a.remove("a")).toBe(true);
    await expect(a.getBlob(hash)).rejects.toMatchObject({ code: "blob_not_found" });
  });

  test("what was to be branched, and was made anew meanwhile, is not found, and nothing is made of it", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await newSession(store, "a");
    const asked = pen.append("a", [titleSet("One"), titleSet("Two")]);
    await store.append(asked);
    const { head } = pen;
    expect(await store.remove("a")).toBe(true);
    await newSession(store, "a");
    const branch = logPen(undefined, pen.state);
    const rows = branch.rows([{ type: "session.branch", parentId: "a", title: "" }]);
    await expect(store.branch("a", head, { id: "b", rows, state: branch.state })).rejects.toMatchObject({
      code: "session_not_found",
      details: { subject: "a" },
    });
    expect(await store.record("b")).toBeUndefined();
    expect((await store.record("a"))?.state.n).toBe(1);
  });

  test("an unknown session is unknown to everything", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    expect(await store.record("a")).toBeUndefined();
    expect(await store.read("a", { after: 0, limit: 1 })).toBeUndefined();
    expect(await store.readBefore("a", 100, 1)).toEqual([]);
    expect(await store.remove("a")).toBe(false);
    expect(await store.append(logPen().append("a", [sessionStart()]))).toEqual({ status: "gone" });
  });

  test("an append goes where the log ends, or nowhere", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await newSession(store, "a");
    const fence = await drive(store, "a", pen);
    const next = pen.append("a", [titleSet("Next")], { fence });
    const { n, seq } = next.after;
    for (const after of [
      { n, seq: seq - 1 },
      { n: n - 1, seq },
      { n: n + 1, seq: seq + 1 },
    ]) {
      const rows = next.rows.map((row) => ({ ...row, n: after.n + 1, seq: after.seq + 1 }));
      const state = { ...pen.state, n: after.n + 1, seq: after.seq + 1 };
      expect(await store.append({ ...next, after, rows, state })).toEqual({ status: "moved" });
    }
    expect(await store.append(next)).toEqual({ status: "ok", fence });
    expect(await store.append(next)).toEqual({ status: "moved" });
    expect((await store.read("a", { after: seq, limit: 10 }))?.rows).toEqual(next.rows);
  });

  test("rows out of order are the writer's defect and change nothing", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await newSession(store, "a");
    const good = pen.append("a", [titleSet("One"), titleSet("Two")]);
    const [first, second] = good.rows;
    if (first === undefined || second === undefined) throw new Error("two rows were written");
    const { state: _state, ...stateless } = good;
    const bad = [
      { ...good, rows: [second] },
      { ...good, rows: [first, { ...second, n: second.n + 1 }] },
      { ...good, rows: [first, { ...second, seq: first.seq }] },
      { ...good, rows: [first] },
      stateless,
      { ...good, pieces: [piece(1_000, "abc"), piece(1_001, "d")] },
      { ...good, pieces: [piece(0, "abc")] },
    ];
    for (const request of bad) {
      await expect(store.append(request)).rejects.toMatchObject({ name: "HostError", code: "internal" });
    }
    await expect(store.create("b", [first], pen.state)).rejects.toMatchObject({ code: "internal" });
    expect((await store.record("a"))?.state.n).toBe(1);
    expect(await store.append(good)).toMatchObject({ status: "ok" });
  });

  test("a log is read in pages that never end inside a reply", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = logPen();
    const rows = [
      ...pen.rows([sessionStart(), titleSet("1")]),
      ...pen.rows([titleSet("2"), titleSet("3")], { mid: true, gap: 5 }),
      ...pen.rows([titleSet("4")], { gap: 7 }),
      ...pen.rows([titleSet("5")]),
    ];
    await store.create("a", rows, pen.state);
    const page = async (after: number, limit: number) => {
      const snapshot = await store.read("a", { after, limit });
      return { n: snapshot?.rows.map(({ n }) => n), more: snapshot?.more };
    };
    expect(await page(0, 2)).toEqual({ n: [1, 2], more: true });
    expect(await page(0, 3)).toEqual({ n: [1, 2, 3, 4, 5], more: true });
    expect(await page(2, 1)).toEqual({ n: [3, 4, 5], more: true });
    expect(await page(2, 4)).toEqual({ n: [3, 4, 5, 6], more: false });
    expect(await page(0, 6)).toEqual({ n: [1, 2, 3, 4, 5, 6], more: false });
    // Between two rows lies text: such a cursor is as good as any.
    expect(await page(10, 10)).toEqual({ n: [4, 5, 6], more: false });
    expect(await page(pen.head.seq, 10)).toEqual({ n: [], more: false });
  });

  test("the rows before a cursor come newest page first, each oldest first", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = logPen();
    const rows = pen.rows([sessionStart(), titleSet("1"), titleSet("2"), titleSet("3"), titleSet("4")], {
      gap: 3,
    });
    await store.create("a", rows, pen.state);
    const all: StoredRow[] = [];
    for (let before = pen.head.seq + 1; ;) {
      const page = await store.readBefore("a", before, 2);
      if (page.length === 0) break;
      all.unshift(...page);
      before = page[0]?.seq ?? 0;
    }
    expect(all).toEqual(rows);
    expect(await store.readBefore("a", rows[2]?.seq ?? 0, 10)).toEqual(rows.slice(0, 2));
    expect(await store.readBefore("a", 1, 10)).toEqual([]);
  });

  test("streamed text is read until a row holds it", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await newSession(store, "a");
    const fence = await drive(store, "a", pen);
    const { seq } = pen.head;
    const say = (pieces: ReturnType<typeof piece>[]) => store.append(pen.append("a", [], { fence, pieces }));
    const text = async (after: number) => {
      const snapshot = await store.read("a", { after, limit: 10 });
      return snapshot?.pieces.map(({ cursor, kind, text }) => `${cursor - seq} ${kind} ${text}`);
    };
    expect(await say([piece(seq, "Hel"), piece(seq + 3, "lo")])).toEqual({ status: "ok", fence });
    expect(await say([piece(seq + 5, "why", "reasoning")])).toEqual({ status: "ok", fence });
    expect(await say([piece(seq + 8, "\u0000 \ud83d\ude00")])).toEqual({ status: "ok", fence });
    const whole = ["0 text Hello", "5 reasoning why", "8 text \u0000 \ud83d\ude00"];
    expect(await text(0)).toEqual(whole);
    expect(await text(seq)).toEqual(whole);
    expect(await text(seq + 4)).toEqual(whole);
    expect(await text(seq + 5)).toEqual(whole.slice(1));
    expect(await text(seq + 9)).toEqual(whole.slice(2));
    expect(await text(seq + 12)).toEqual([]);

    // A row in the middle of a reply leaves the text before it without a row.
    const middle = pen.rows([titleSet("mid")], { gap: 12, mid: true });
    const state = pen.state;
    const after = { n: state.n - 1, seq };
    await store.append({ ...pen.append("a", [], { fence }), after, rows: middle, state });
    expect(await text(pen.head.seq)).toEqual(whole);
    expect((await store.read("a", { after: 0, limit: 1 }))?.pieces).toEqual([]);

    await store.append(pen.append("a", [titleSet("done")], { fence, clearPieces: true }));
    expect(await text(0)).toEqual([]);
  });

  test("any pages of any log are the log", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    let count = 0;
    const step = fc.record({
      rows: fc.integer({ min: 0, max: 4 }),
      gap: fc.integer({ min: 0, max: 9 }),
      mid: fc.boolean(),
      size: fc.integer({ min: 0, max: 3_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.array(fc.nat(6)), async (steps, limits) => {
        count += 1;
        const id = `any-${count}`;
        const pen = await newSession(store, id);
        const rows = [...((await store.read(id, { after: 0, limit: 1 }))?.rows ?? [])];
        const fence = await drive(store, id, pen);
        rows.push(...((await store.read(id, { after: 1, limit: 1 }))?.rows ?? []));
        for (const { rows: many, gap, mid, size } of steps) {
          const after = pen.head;
          const more = pen.rows(
            Array.from({ length: many }, () => titleSet("x".repeat(size))),
            { gap, mid },
          );
          const request = { ...pen.append(id, [], { fence }), after, rows: more };
          const result = await store.append(many === 0 ? request : { ...request, state: pen.state });
          expect(result).toEqual({ status: "ok", fence });
          rows.push(...more);
        }
        const read: StoredRow[] = [];
        for (let turn = 0, after = 0; ; turn += 1) {
          const page = await store.read(id, {
            after,
            limit: 1 + (limits[turn % Math.max(1, limits.length)] ?? 0),
          });
          read.push(...(page?.rows ?? []));
          after = page?.rows.at(-1)?.seq ?? after;
          if (page?.more !== true) break;
        }
        expect(read).toEqual(rows);
        expect((await store.record(id))?.state).toEqual(pen.state);
      }),
      { numRuns: times(200) },
    );
  });

  test("a branch keeps cursors, and lives on without its parent", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const parent = logPen();
    const past = parent.rows([sessionStart(), titleSet("1"), turnStart("Hello")], { gap: 4 });
    const head = parent.head;
    const state = parent.state;
    const later = parent.rows([titleSet("later")]);
    await store.create("parent", [...past, ...later], parent.state);

    const pen = logPen(undefined, state);
    const rows = pen.rows([{ type: "session.branch", parentId: "parent", title: "Two" }]);
    expect(await store.branch("parent", head, { id: "child", rows, state: pen.state })).toBe(true);
    expect(await store.branch("parent", head, { id: "child", rows, state: pen.state })).toBe(false);
    expect(await store.remove("parent")).toBe(true);
    expect((await store.read("child", { after: 0, limit: 10 }))?.rows).toEqual([...past, ...rows]);
    expect(await store.record("child")).toEqual({ id: "child", state: pen.state, damaged: false });
    // It is a person's own session, unlike one that was made for a subagent.
    expect((await store.list({ limit: 10, offset: 0 })).map(({ id }) => id)).toEqual(["child"]);
    expect(await store.append(pen.append("child", [titleSet("on")]))).toMatchObject({ status: "ok" });
  });

  test("a branch begins at a row of its parent", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const parent = await newSession(store, "parent");
    const pen = logPen(undefined, parent.state);
    const rows = pen.rows([{ type: "session.branch", parentId: "parent", title: "" }]);
    const to = { id: "child", rows, state: pen.state };
    await expect(store.branch("nobody", parent.head, to)).rejects.toMatchObject({
      code: "session_not_found",
    });

    const elsewhere = { ...parent.state, n: 2, seq: 2 };
    const lost = logPen(undefined, elsewhere);
    const lostRows = lost.rows([{ type: "session.branch", parentId: "parent", title: "" }]);
    await expect(
      store.branch("parent", { n: 2, seq: 2 }, { id: "child", rows: lostRows, state: lost.state }),
    ).rejects.toMatchObject({ code: "session_not_found" });
    expect(await store.record("child")).toBeUndefined();
  });

  test("a removed session is gone for everybody, and its id is free", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const other = await home.openHost();
    const pen = await newSession(store, "a");
    const fence = await drive(store, "a", pen);
    await store.append(pen.append("a", [], { fence, pieces: [piece(pen.head.seq, "text")] }));
    expect(await store.remove("a")).toBe(true);
    expect(await store.remove("a")).toBe(false);
    expect(await other.record("a")).toBeUndefined();
    expect(await other.list({ limit: 10, offset: 0, includeEmpty: true })).toEqual([]);
    expect(await store.append(pen.append("a", [titleSet("late")], { fence }))).toEqual({ status: "gone" });

    const again = await newSession(other, "a");
    expect(await other.read("a", { after: 0, limit: 10 })).toMatchObject({
      pieces: [],
      head: { n: 1, seq: 1 },
    });
    expect(await drive(other, "a", again)).toBeGreaterThan(fence);
  });
}
