import { expect, test } from "vitest";
import { importRoster, Roster, rosterFile } from "../../src/people/roster/index.ts";
import { memoryStore } from "../../src/providers/store/index.ts";
import { randomHex } from "../../src/shared/crypto/random-hex.ts";
import { handClock } from "../kit/clock.ts";

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
    "\uFEFFname,mobile,role,identities",
    '"Berg, ""Anna""",+4915123456789,Operator,telegram:42 slack:U1',
    "Ben,0151 23,,",
    ",+4915123456780,,",
    "Cem,,chief,",
    "Dora,,,telegram:42",
    "",
    "Eva,,member,",
    "Eve,+49 151 23456789,member,",
    "too,many,member,x:1,values",
  ].join("\r\n");
  const { added, changed, refused } = await importRoster(roster, file);
  expect(added.map(({ name }) => name)).toEqual(['Berg, "Anna"', "Eva"]);
  expect(changed).toMatchObject([{ name: "Eve", identities: ["telegram:42", "slack:U1"], role: "member" }]);
  expect(refused.map(({ line }) => line)).toEqual([3, 4, 5, 6, 10]);
  expect(refused[3]?.reason).toContain("belongs to Berg");
  await roster.add({ name: '=cmd|"x"' });
  const text = rosterFile(await roster.list());
  expect(text.split("\r\n")).toEqual([
    "name,mobile,role,persona,identities",
    "Eve,+4915123456789,member,,telegram:42 slack:U1",
    "Eva,,member,,",
    `"'=cmd|""x""",,member,,`,
    "",
  ]);
  await expect(importRoster(roster, "a,b\n1,2")).rejects.toMatchObject({ code: "invalid_params" });
  await expect(importRoster(roster, 'name\n"x')).rejects.toMatchObject({ code: "invalid_params" });
});
