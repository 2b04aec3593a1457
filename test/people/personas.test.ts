import { expect, test } from "vitest";
import { EMPTY_STATE, NO_PERSONA, type SessionState } from "../../src/core/index.ts";
import { HomePersonas } from "../../src/app/people/home-personas.ts";
import { PersonaBook, type PersonaFields } from "../../src/people/personas/index.ts";
import { memoryStore } from "../../src/providers/store/index.ts";
import { handClock } from "../kit/clock.ts";
import { random } from "../kit/counts.ts";

const openBook = () => {
  const clock = handClock();
  const { records } = memoryStore({ random: random(1), clock });
  return { clock, book: new PersonaBook(records, { clock }), other: new PersonaBook(records, { clock }) };
};

test("a persona has versions: who changed what, and back; a change that somebody else was faster with is refused", async () => {
  const { book, other } = openBook();
  const first = await book.save("desk", { instructions: "Be kind." }, { by: "ann", version: 0 });
  expect(first).toMatchObject({ name: "desk", version: 1, by: "ann" });
  await other.save("desk", { instructions: "Be brief.", toolsets: ["web"] }, { by: "bob", version: 1 });
  await expect(book.save("desk", { instructions: "Mine" }, { by: "ann", version: 1 })).rejects.toMatchObject({
    code: "conflict",
  });
  await book.remove("desk", { by: "ann" });
  expect(await book.all()).toEqual({
    saved: [],
    removed: new Map([["desk", { instructions: "Be brief.", toolsets: ["web"] }]]),
  });
  await expect(book.remove("desk", { by: "ann" })).rejects.toMatchObject({ code: "not_found" });
  const versions = await book.versions("desk");
  expect(versions.map(({ version, by, fields }) => [version, by, fields?.instructions])).toEqual([
    [3, "ann", undefined],
    [2, "bob", "Be brief."],
    [1, "ann", "Be kind."],
  ]);
  const back = await book.save("desk", versions[2]?.fields, { by: "ann", version: 3 });
  expect(back).toMatchObject({ version: 4, fields: { instructions: "Be kind." } });
  for (const [name, fields, words] of [
    [NO_PERSONA, {}, "stands for no persona"],
    ["a/b", {}, "letters"],
    ["desk", { instruction: "x" }, "instruction"],
    ["desk", { budget: { tokens: -1 } }, "budget.tokens"],
    ["desk", { instructions: "x".repeat(1_000_000) }, "it has 1000000 characters"],
    ["🦜", {}, "letters"],
    ["Default", {}, "the owner's choice"],
    ["desk ", {}, "without a space"],
  ] as const)
    await expect(book.save(name, fields, { by: "ann" })).rejects.toThrow(words);
  expect((await book.all()).saved.map(({ version }) => version)).toEqual([4]);
  expect((await book.save("desk", { instructions: "a\r\nb\r" }, { by: "ann" })).fields.instructions).toBe(
    "a\nb\n",
  );
  for (let more = 0; more < 30; more += 1) await book.save("desk", {}, { by: "ann" });
  // The newest thirty stay.
  expect((await book.versions("desk")).map(({ version }) => version)).toEqual(
    Array.from({ length: 30 }, (_, at) => 35 - at),
  );
});

test("a session's own choice goes before its user's, its chat's, its platform's and the owner's", async () => {
  const { book, other, clock } = openBook();
  const personas: Record<string, PersonaFields> = {
    owner: { instructions: "owner" },
    place: { instructions: "place", model: "local:small" },
    channel: { instructions: "channel" },
  };
  const home = new HomePersonas({
    clock,
    book,
    personaOf: (id) => Promise.resolve(id === "u_1" ? "edited" : undefined),
    config: () => ({ personas, personalities: { pirate: "Arr." }, agent: { persona: "owner" } }),
    extraOf: (name) =>
      name === "telegram" ? { persona: "place", channels: { "42": { persona: "channel" } } } : {},
    parseModel: () => ({ provider: "local", model: "small" }),
  });
  const of = (id: string, state: Partial<SessionState>) =>
    home.of({ id, state: { ...EMPTY_STATE, ...state } });
  const chat = { platform: "chat", source: "telegram" } as const;
  expect(of("s", {})?.name).toBe("owner");
  expect(of("telegram:7:1", chat)).toEqual({
    name: "place",
    instructions: "place",
    provider: "local",
    model: "small",
  });
  expect(of("telegram:42:1", chat)?.name).toBe("channel");
  const ofUser = { ...chat, user: "u_1" };
  // What another process saved is there with the next turn.
  await other.save("edited", { instructions: "edited" }, { by: "ann" });
  await home.refresh({ id: "telegram:42:1", state: { ...EMPTY_STATE, ...ofUser } });
  expect(of("telegram:42:1", ofUser)).toEqual({ name: "edited", version: 1, instructions: "edited" });
  expect(of("s", { ...ofUser, settings: { persona: "pirate" } })?.instructions).toBe("Arr.");
  expect(of("s", { ...ofUser, settings: { persona: NO_PERSONA } })).toBeUndefined();
  // Nobody gets more because a persona is not there: the next choice may have no limits at all.
  expect(of("s", { settings: { persona: "gone" } })).toMatchObject({
    name: "gone",
    missing: true,
    toolsets: [],
    skills: [],
    collections: [],
  });
  // A subagent has its parent's, or none.
  expect(of("s", { depth: 1 })).toBeUndefined();
  expect(home.names()).toEqual(["edited", "owner", "place", "channel", "pirate"]);
  // Prompts that come at once wait for one look at the store; a second later there is another.
  await other.save("late", { instructions: "late" }, { by: "ann" });
  await home.refresh({ id: "s", state: { ...EMPTY_STATE, ...ofUser } });
  expect(home.names()).not.toContain("late");
  clock.advance(1000);
  await home.refresh({ id: "s", state: { ...EMPTY_STATE, ...ofUser } });
  expect(home.names()).toContain("late");
  // A removed one leaves its limits, and no words; what this process changed itself is known at once.
  await book.save("late", { instructions: "late", toolsets: ["web"], budget: { tokens: 9 } }, { by: "ann" });
  await book.remove("late", { by: "ann" });
  await home.changed();
  const left = of("s", { settings: { persona: "late" } });
  expect(left).toMatchObject({ name: "late", missing: true, toolsets: ["web"], budget: { tokens: 9 } });
  expect(left?.instructions).toContain("does not exist");
  // A draft is tried in its session, and by the subagents of it, without being saved.
  home.draft("trial", { name: "late", fields: { instructions: "draft" } });
  expect(of("trial", {})).toEqual({ name: "late", instructions: "draft" });
  expect(of("child", { depth: 1, parentId: "trial" })?.instructions).toBe("draft");
  home.draft("trial", undefined);
  expect(of("trial", {})?.name).toBe("owner");
});
