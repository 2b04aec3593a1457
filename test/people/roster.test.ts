import { expect, test } from "vitest";
import { importRoster, Roster, rosterFile } from "../../src/people/roster/index.ts";
import { memoryHome, memoryStore } from "../../src/providers/store/index.ts";
import { randomHex } from "../../src/shared/crypto/random-hex.ts";
import { handClock } from "../kit/clock.ts";
import { times } from "../kit/counts.ts";

test("the roster finds its people by number and by identity, each of which is one person's", async () => {
  await using store = memoryStore();
  const clock = handClock();
  const roster = new Roster(store.records, { clock, hex: randomHex });
  const anna = await roster.add({ name: " Anna\n Berg ", mobile: "+49 151 23456789", role: "operator" });
  expect(anna).toMatchObject({ name: "Anna Berg", mobile: "+4915123456789", role: "operator" });
  expect(anna.id).toMatch(/^u_[0-9a-f]{12}$/);
  const ben = await roster.add({ name: "Ben" });
  await roster.link(anna.id, "telegram:42");
  for (const words of [anna.id, "telegram:42", "+4915123456789", "+49 (0)151 2345-6789"])
    expect((await roster.named(words)).id, words).toBe(anna.id);
  await expect(roster.named("+4915100000000")).rejects.toMatchObject({ code: "not_found" });
  await expect(roster.link(ben.id, "telegram:42")).rejects.toMatchObject({ code: "conflict" });
  await expect(roster.change(ben.id, { mobile: "+4915123456789" })).rejects.toMatchObject({
    code: "conflict",
  });
  for (const wrong of [{ name: " " }, { name: "C", mobile: "0151 234" }])
    await expect(roster.add(wrong)).rejects.toMatchObject({ code: "invalid_params" });
  await expect(roster.link(ben.id, "telegram 42")).rejects.toMatchObject({ code: "invalid_params" });
  const changed = await roster.change(anna.id, {
    mobile: null,
    budget: { cost: 5 },
    disabled: true,
    persona: "helper",
  });
  expect(changed).toMatchObject({ budget: { cost: 5 }, disabled: true, persona: "helper" });
  expect(changed.mobile).toBeUndefined();
  expect(await roster.change(anna.id, { disabled: false, budget: null })).not.toHaveProperty("disabled");
  // What one gave up, another may have.
  await roster.change(ben.id, { mobile: "+4915123456789" });
  await roster.unlink(anna.id, "telegram:42");
  await roster.link(ben.id, "telegram:42");
  clock.advance(1000);
  await roster.noteSeen(ben);
  expect((await roster.find(ben.id))?.lastSeenAt).toBe(clock.now());
  expect((await roster.list()).map(({ name }) => name)).toEqual(["Anna Berg", "Ben"]);
  await roster.remove(ben.id);
  expect(await roster.byIdentity("telegram:42")).toBeUndefined();
  expect(await roster.byMobile("+4915123456789")).toBeUndefined();
});

test("a file of users is taken line by line, says what it refused, and comes out as it went in", async () => {
  await using store = memoryStore();
  const roster = new Roster(store.records, { clock: handClock(), hex: randomHex });
  const file = [
    "\uFEFFname,mobile,role,identities,budget_tokens,budget_cost",
    '"Berg, ""Anna""",+4915123456789,Operator,telegram:42 slack:U1,200k,$2.50',
    "Ben,0151 23,,,,",
    ",+4915123456780,,,,",
    "Cem,,chief,,,",
    "Dora,,,telegram:42,,",
    "",
    "Eva,,member,,,",
    "Eve,+49 151 23456789,member,,,",
    "too,many,member,x:1,,,values",
    "Fay,,,user:u_0a1b2c3d4e5f,,",
    "Gus,,,,-5,",
    'Han,,,,,"20,50"',
  ].join("\r\n");
  const { added, changed, refused } = await importRoster(roster, file);
  expect(added.map(({ line, after }) => [line, after.name])).toEqual([
    [2, 'Berg, "Anna"'],
    [8, "Eva"],
  ]);
  expect(added[0]?.after).toMatchObject({ role: "operator", budget: { tokens: 200_000, cost: 2.5 } });
  expect(added[1]?.after).not.toHaveProperty("budget");
  expect(changed).toEqual([]);
  expect(refused.map(({ line }) => line)).toEqual([3, 4, 5, 6, 9, 10, 11, 12, 13]);
  expect(refused[3]?.reason).toBe("telegram:42 stands in line 2 already.");
  expect(refused[4]?.reason).toBe("+4915123456789 stands in line 2 already.");
  const again = await importRoster(roster, "mobile;name\r\n+4915123456789;Eve\r\n");
  expect(again.changed).toMatchObject([
    { before: { name: 'Berg, "Anna"' }, after: { name: "Eve", role: "operator", budget: { cost: 2.5 } } },
  ]);
  expect((await importRoster(roster, "name,identities\nIda,slack:U1")).refused[0]?.reason).toBe(
    "slack:U1 belongs to Eve already.",
  );
  for (const name of ['=cmd|"x"', "'-1", "+49 is no number", "@sum"]) await roster.add({ name });
  const text = rosterFile(await roster.list());
  expect(text.split("\r\n")).toEqual([
    "name,mobile,role,persona,budget_tokens,budget_cost,identities",
    "Eva,,member,,,,",
    "Eve,+4915123456789,operator,,200000,2.5,telegram:42 slack:U1",
    `"'=cmd|""x""",,member,,,,`,
    "''-1,,member,,,,",
    "'+49 is no number,,member,,,,",
    "'@sum,,member,,,,",
    "",
  ]);
  // What comes out goes in as it was, into an empty roster.
  await using other = memoryStore();
  const copy = new Roster(other.records, { clock: handClock(), hex: randomHex });
  expect((await importRoster(copy, text)).refused).toEqual([]);
  const sorted = (file: string): readonly string[] => file.split("\r\n").toSorted();
  expect(sorted(rosterFile(await copy.list()))).toEqual(sorted(text));
  await expect(importRoster(roster, "a,b\n1,2")).rejects.toMatchObject({ code: "invalid_params" });
  await expect(importRoster(roster, 'name\n"x')).rejects.toMatchObject({ code: "invalid_params" });
  await expect(importRoster(roster, "name,name\nA,B")).rejects.toMatchObject({ code: "invalid_params" });
});

test("names keep their letters and emoji, and nothing that is not seen; two processes that change one user both count", async () => {
  await using home = openedHome();
  const [one, two] = home.rosters;
  const family = "\u{1F469}\u200D\u{1F469}\u200D\u{1F467} Familie";
  const anna = await one.add({ name: `${family}\u202E\u0007\u200B\n` });
  expect(anna.name).toBe(family);
  for (const name of ["\u200D", "\u202E", "a".repeat(201), "\uD800"])
    await expect(one.add({ name }), JSON.stringify(name)).rejects.toMatchObject({ code: "invalid_params" });
  await Promise.all([
    one.change(anna.id, { budget: { tokens: 5 } }),
    two.change(anna.id, { budget: { cost: 5 } }),
    one.link(anna.id, "telegram:1"),
    two.link(anna.id, "telegram:2"),
    two.change(anna.id, { role: "operator" }),
  ]);
  expect(await one.find(anna.id)).toMatchObject({
    budget: { tokens: 5, cost: 5 },
    role: "operator",
    identities: expect.arrayContaining(["telegram:1", "telegram:2"]),
  });
  const taken = await Promise.allSettled(
    [one, two].map(async (roster, at) => {
      const { id } = await roster.add({ name: `Twin ${at}` });
      return await roster.link(id, "slack:U9");
    }),
  );
  expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const removed = await Promise.allSettled([one.remove(anna.id), two.change(anna.id, { name: "Anne" })]);
  expect(removed[0].status).toBe("fulfilled");
  expect(await two.byIdentity("telegram:1")).toBeUndefined();
  expect(await one.find(anna.id)).toBeUndefined();
});

test("a persona that there is not is refused, but for the one that a user has already", async () => {
  await using store = memoryStore();
  const known = ["desk"];
  const personas = { names: () => known, of: () => undefined };
  const roster = new Roster(store.records, { clock: handClock(), hex: randomHex, personas });
  const refused = { code: "invalid_params", message: expect.stringContaining("There are desk") };
  await expect(roster.add({ name: "Anna", persona: "dsk" })).rejects.toMatchObject(refused);
  const { id } = await roster.add({ name: "Anna", mobile: "+4915123456789", persona: "desk" });
  await expect(roster.change(id, { persona: "other" })).rejects.toMatchObject(refused);
  const plan = await importRoster(roster, "name,persona\nBen,desk\nCem,dsk");
  expect(plan.added.map(({ after }) => after.name)).toEqual(["Ben"]);
  expect(plan.refused).toMatchObject([{ line: 3, reason: expect.stringContaining("Did you mean desk?") }]);
  known.pop();
  const file = "name,mobile,persona\nAnn,+4915123456789,desk";
  expect((await importRoster(roster, file)).changed).toMatchObject([
    { after: { name: "Ann", persona: "desk" } },
  ]);
});

test("ten thousand lines are one import", async () => {
  await using home = openedHome();
  const [roster] = home.rosters;
  const count = times(10_000);
  const lines = Array.from(
    { length: count },
    (_, at) => `Person ${at},+4915${String(123_000_000 + at)},chat:${at}`,
  );
  const text = ["name,mobile,identities", ...lines].join("\n");
  expect(await importRoster(roster, text)).toMatchObject({ changed: [], refused: [] });
  const again = await importRoster(roster, text.replaceAll("Person", "Human"));
  expect([again.added.length, again.changed.length, again.refused.length]).toEqual([0, count, 0]);
  expect((await roster.list()).every(({ name }) => name.startsWith("Human"))).toBe(true);
});

/** A home with two processes. */
function openedHome() {
  const home = memoryHome();
  const stores = [home.open(), home.open()] as const;
  const rosterOn = ({ records }: (typeof stores)[0]): Roster =>
    new Roster(records, { clock: handClock(), hex: randomHex });
  return {
    rosters: [rosterOn(stores[0]), rosterOn(stores[1])] as const,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
    },
  };
}
