import { expect, test } from "vitest";
import { Roster } from "../../src/people/roster/index.ts";
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
