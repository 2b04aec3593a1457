import { expect, test } from "vitest";
import { NO_PERSONA, type Persona, type Toolset } from "../../../src/core/index.ts";
import { delegateTool } from "../../../src/providers/tools/delegate.ts";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { random } from "../../kit/counts.ts";
import { callTool, gate, say, scriptedModel, used, wait } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, testTool, until } from "../../kit/test-host.ts";

const setOf = (name: string, ...tools: Toolset["tools"]): Toolset => ({
  name,
  label: name,
  description: name,
  tools,
  configured: true,
});

const CLERK: Persona = {
  name: "clerk",
  instructions: "Speak like a clerk.",
  provider: "other",
  model: "small",
  toolsets: ["desk", "delegate", "nowhere"],
  budget: { tokens: 1000 },
};

/** A host whose sessions have the persona that their setting names, else the one of `here`. */
async function personaHost(model = scriptedModel()) {
  const known = new Map([["clerk", CLERK]]);
  const world = { here: undefined as string | undefined, known, refreshed: 0 };
  const host = await hostWith(model, {
    store: memoryStore({ random: random(1) }),
    toolsets: [
      setOf("desk", testTool("look")),
      setOf("shop", testTool("buy")),
      setOf("delegate", delegateTool({ stopProcesses: () => Promise.resolve(0) })),
    ],
    personas: {
      names: () => [...known.keys()],
      of: ({ state: { settings } }) =>
        settings.persona === NO_PERSONA ? undefined : known.get(settings.persona ?? world.here ?? ""),
      refresh: () => Promise.resolve(void (world.refreshed += 1)),
    },
  });
  return { host, world, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

const toolsIn = (model: ReturnType<typeof scriptedModel>, at: number) =>
  (model.requests[at]?.tools ?? []).map(({ name }) => name);

test("a turn has the words, model, tools and budget of its persona, chosen once when it begins", async () => {
  const hold = gate();
  const model = scriptedModel([callTool("look")], [wait(hold), say("one")]);
  await using stage = await personaHost(model);
  const { host, world } = stage;
  const session = await host.open({ settings: { instructions: "Be brief.", persona: "clerk" } });
  const turn = session.submit({ text: "go" });
  await hold.reached;
  // A change while the turn runs is for the next one.
  world.known.set("clerk", { ...CLERK, instructions: "Speak like a judge." });
  hold.open();
  await turn.result;
  expect(world.refreshed).toBe(1);
  expect(model.requests.map(({ system }) => system)).toEqual(
    Array(2).fill("You are a test.\n\nSpeak like a clerk.\n\nBe brief."),
  );
  expect(toolsIn(model, 0)).toEqual(["look", "delegate"]);
  const events = await allEvents(session);
  expect(events.find(({ type }) => type === "turn.start")).toMatchObject({ persona: CLERK });
  expect(events.find(({ type }) => type === "reply.complete")).toMatchObject({
    provider: "other",
    model: "small",
  });

  await session.set({ model: "own", toolsets: ["desk", "shop"] });
  model.script([used(990, 20), say("two")]);
  await session.submit({ text: "again" }).result;
  expect(model.requests.at(-1)?.system).toContain("judge");
  // Its own choice of a model wins; its own toolsets are narrowed all the same.
  expect((await allEvents(session)).findLast(({ type }) => type === "reply.complete")).toMatchObject({
    model: "own",
  });
  expect(toolsIn(model, 2)).toEqual(["look"]);
  const over = await session.submit({ text: "more" }).result;
  expect(over.error).toMatchObject({ code: "budget_exceeded" });

  await session.set({ persona: NO_PERSONA });
  await session.submit({ text: "free" }).result;
  expect(session.state.persona).toBeUndefined();
  expect(model.requests.at(-1)?.system).toBe("You are a test.\n\nBe brief.");
  expect(toolsIn(model, 3)).toEqual(["look", "buy"]);
});

test("a persona that does not exist is said once, and its limits hold", async () => {
  const model = scriptedModel([say("one")], [say("two")], [say("three")]);
  await using stage = await personaHost(model);
  const { host, world } = stage;
  world.known.set("gone", { name: "gone", missing: true, instructions: "It is gone.", toolsets: [] });
  const session = await host.open({ settings: { persona: "gone" } });
  for (const text of ["a", "b"]) await session.submit({ text }).result;
  await session.set({ persona: "clerk" });
  await session.submit({ text: "c" }).result;
  expect([0, 1, 2].map((at) => toolsIn(model, at).length)).toEqual([0, 0, 2]);
  const notices = (await allEvents(session)).filter(({ type }) => type === "notice");
  expect(notices).toMatchObject([
    { level: "warn", kind: "persona.missing", text: expect.stringContaining("gone") },
  ]);
});

test("a queued prompt's turn has the persona of its own beginning, and a subagent that of its parent", async () => {
  const hold = gate();
  const model = scriptedModel([wait(hold), say("one")], [callTool("delegate", { goal: "help" })]);
  await using stage = await personaHost(model);
  const { host, world } = stage;
  const session = await host.open();
  const first = session.submit({ text: "first" });
  await hold.reached;
  const second = session.submit({ text: "second" });
  await second.accepted;
  world.here = "clerk";
  hold.open();
  await Promise.all([first.result, second.result]);
  // Looked for each prompt, the subagent's too, and once more when the turn of the one that had waited began.
  expect(world.refreshed).toBe(4);
  expect(model.requests.map(({ system }) => system.includes("clerk"))).toEqual([false, true, true, true]);
  expect(toolsIn(model, 2)).toEqual(["look"]);
  const started = await until(session.events({ after: 0 }), "subagent.start");
  expect((await host.session(started.childId)).state).toMatchObject({
    persona: { name: "clerk" },
    settings: { provider: "other", model: "small" },
  });
});
