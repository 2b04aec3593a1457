import { expect, test } from "vitest";
import type { RecordDraft } from "../../../../src/core/ports/records.ts";
import { random, times } from "../../../kit/counts.ts";
import { type OpenHome, settled } from "./home.ts";

const draft = (key: string, more: Partial<RecordDraft> = {}): RecordDraft => ({
  space: "test",
  key,
  value: JSON.stringify({ of: key }),
  ...more,
});

export function recordContract(openHome: OpenHome): void {
  test("a record is found by its space and key, from every process, and in no other space", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    const { added, record } = await a.records.add(draft("k", { parent: "p" }));
    expect(added).toBe(true);
    expect(record).toEqual({ ...draft("k", { parent: "p" }), version: 1, position: record.position });
    expect(await b.records.get("test", "k")).toEqual(record);
    expect(await b.records.get("other", "k")).toBeUndefined();
    expect(await b.records.get("test", "K")).toBeUndefined();
  });

  test("of many processes that add the same record, one does and all others get what is there", async () => {
    await using home = await openHome();
    const stores = [await home.openHost(), await home.openHost(), await home.openHost()];
    const answers = await Promise.all(
      stores.flatMap((store, index) =>
        [0, 1, 2].map((nth) => store.records.add(draft("k", { value: `"${index} ${nth}"` }))),
      ),
    );
    expect(answers.filter(({ added }) => added)).toHaveLength(1);
    expect(new Set(answers.map(({ record }) => record.value)).size).toBe(1);
  });

  test("a write on a version that is gone changes nothing", async () => {
    await using home = await openHome();
    const { records } = await home.openHost();
    const { record } = await records.add(draft("k"));
    const next = await records.replace(draft("k", { value: "2" }), record.version);
    expect(next).toMatchObject({ value: "2", version: 2, position: record.position });
    expect(await records.replace(draft("k", { value: "3" }), record.version)).toBeUndefined();
    expect(await records.remove("test", "k", record.version)).toBe(false);
    expect((await records.get("test", "k"))?.value).toBe("2");
    expect(await records.replace(draft("nobody"), 1)).toBeUndefined();
    expect(await records.put(draft("k", { value: "4" }))).toMatchObject({ value: "4", version: 3 });
    expect(await records.remove("test", "k", 3)).toBe(true);
    expect(await records.remove("test", "k")).toBe(false);
    expect(await records.put(draft("k"))).toMatchObject({ version: 1 });
  });

  test("an expired record is not there, and its place is free", async () => {
    await using home = await openHome();
    const { records } = await home.openHost();
    const expiresAt = home.clock.now() + 1000;
    await records.add(draft("k", { expiresAt, dueAt: 0, parent: "p" }));
    await records.add(draft("renewed", { expiresAt }));
    expect(await records.renew("test", "renewed", expiresAt + 1)).toBe(true);
    home.clock.advance(1000);
    expect(await records.get("test", "k")).toBeUndefined();
    expect(await records.get("test", "renewed")).toMatchObject({ version: 1, expiresAt: expiresAt + 1 });
    expect(await records.list({ space: "test", parent: "p", limit: 10 })).toEqual([]);
    expect(await records.claimDue("test", 10)).toEqual([]);
    expect(await records.renew("test", "k", expiresAt + 5000)).toBe(false);
    expect(await records.remove("test", "k")).toBe(false);
    expect(await records.add(draft("k"))).toMatchObject({ added: true, record: { version: 1 } });
  });

  test("lists are in the order of adding, by parent, by prefix, page after page, both ways", async () => {
    await using home = await openHome();
    const { records } = await home.openHost();
    for (const key of ["b1", "a2", "b3", "a4", "b%_5"])
      await records.add(draft(key, key.startsWith("b") ? { parent: "p" } : {}));
    await records.put(draft("b1", { value: "0", parent: "p" }));
    const keys = async (query: object): Promise<readonly string[]> =>
      (await records.list({ space: "test", limit: 10, ...query })).map(({ key }) => key);
    expect(await keys({})).toEqual(["b1", "a2", "b3", "a4", "b%_5"]);
    expect(await keys({ newestFirst: true, limit: 2 })).toEqual(["b%_5", "a4"]);
    expect(await keys({ parent: "p" })).toEqual(["b1", "b3", "b%_5"]);
    expect(await keys({ prefix: "a" })).toEqual(["a2", "a4"]);
    expect(await keys({ prefix: "b%" })).toEqual(["b%_5"]);
    const [first] = await records.list({ space: "test", parent: "p", limit: 1 });
    expect(await keys({ parent: "p", after: first?.position ?? 0 })).toEqual(["b3", "b%_5"]);
    const [last] = await records.list({ space: "test", newestFirst: true, limit: 1 });
    expect(await keys({ newestFirst: true, after: last?.position ?? 0, limit: 1 })).toEqual(["a4"]);
  });

  test("trimming takes those first that would expire first, and none that never does", async () => {
    await using home = await openHome();
    const { records } = await home.openHost();
    const now = home.clock.now();
    for (const [key, at] of [
      ["a", 300],
      ["b", 100],
      ["c", 200],
    ] as const)
      await records.add(draft(key, { expiresAt: now + at }));
    await records.add(draft("for ever"));
    await records.renew("test", "b", now + 900);
    expect(await records.trim("test", 4)).toBe(0);
    expect(await records.trim("test", 3)).toBe(1);
    expect((await records.list({ space: "test", limit: 9 })).map(({ key }) => key)).toEqual([
      "a",
      "b",
      "for ever",
    ]);
    expect(await records.trim("test", 0)).toBe(2);
    expect(await records.trim("other", 0)).toBe(0);
  });

  test("what is due goes to one living process, the longest due first, and is free when that one dies", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    const now = home.clock.now();
    await a.records.add(draft("later", { dueAt: now + 10 }));
    await a.records.add(draft("second", { dueAt: now - 1 }));
    await a.records.add(draft("first", { dueAt: now - 2 }));
    await a.records.add(draft("never"));
    const [first] = await a.records.claimDue("test", 1);
    expect(first).toMatchObject({ key: "first", claim: { hostId: a.hostId, alive: true } });
    expect((await b.records.claimDue("test", 10)).map(({ key }) => key)).toEqual(["second"]);
    expect(await b.records.claimDue("test", 10)).toEqual([]);
    expect(await a.records.claimDue("test", 10)).toEqual([]);
    expect((await b.records.get("test", "first"))?.claim).toMatchObject({ hostId: a.hostId, alive: true });
    await home.kill(a);
    expect((await b.records.get("test", "first"))?.claim).toMatchObject({ hostId: a.hostId, alive: false });
    home.clock.advance(10);
    expect((await b.records.claimDue("test", 1)).map(({ key }) => key)).toEqual(["later"]);
    expect((await b.records.claimDue("test", 5)).map(({ key }) => key)).toEqual(["first"]);
    // Written on without a claim, and due again.
    await b.records.put(draft("first", { dueAt: now }));
    expect((await b.records.claimDue("test", 5)).map(({ key }) => key)).toEqual(["first"]);
  });

  test("what a dead process had claimed comes before what became due later and was never claimed", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    await a.records.add(draft("old", { dueAt: 1, claim: true }));
    await a.records.add(draft("new", { dueAt: 2 }));
    await home.kill(a);
    expect((await b.records.claimDue("test", 5)).map(({ key }) => key)).toEqual(["old", "new"]);
  });

  test("a claim is given up by who closes its store, and stays known until then", async () => {
    await using home = await openHome();
    const a = await home.openHost();
    const b = await home.openHost();
    await a.records.add(draft("k", { claim: true, dueAt: 0 }));
    for (let beats = 0; beats < 4; beats += 1) {
      home.clock.advance(2_000);
      await settled(a, b);
    }
    expect(await b.findDead()).toEqual([]);
    expect(await b.records.claimDue("test", 1)).toEqual([]);
    await a[Symbol.asyncDispose]();
    for (const { hostId } of await b.findDead()) await b.forgetHost(hostId);
    expect((await b.records.claimDue("test", 1)).map(({ key }) => key)).toEqual(["k"]);
  });

  test("many processes that take from one queue get each record once, whoever dies on the way", async () => {
    const chance = random(77);
    for (let round = 0; round < times(20); round += 1) {
      await using home = await openHome();
      const stores = [await home.openHost(), await home.openHost(), await home.openHost()];
      const [first] = stores;
      if (first === undefined) return;
      for (let nth = 0; nth < 30; nth += 1) await first.records.add(draft(`${nth}`, { dueAt: nth }));
      const done: string[] = [];
      const work = async (store: (typeof stores)[number], dies: boolean): Promise<void> => {
        for (let step = 0; ; step += 1) {
          const claimed = await store.records.claimDue("test", 1 + Math.floor(chance() * 4));
          if (claimed.length === 0) return;
          if (dies && step === 2) return await home.kill(store);
          for (const { space, key, version } of claimed)
            if (await store.records.remove(space, key, version)) done.push(key);
        }
      };
      await Promise.all(stores.map((store, index) => work(store, index === 2)));
      await work(first, false);
      expect(done.toSorted()).toEqual(Array.from({ length: 30 }, (_, nth) => `${nth}`).toSorted());
    }
  });
}
