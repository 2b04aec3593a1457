import { setImmediate as turnOfLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { type HomeStore, memoryStore } from "../../../src/providers/store/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { callTool, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

test("the model is told of a call's result when the log has it: a kill then loses no result that anybody knew", async () => {
  const home = memoryStore();
  let isStored = false;
  const append: HomeStore["append"] = async (request) => {
    const hasResult = request.rows.some(({ type }) => type === "tool.complete");
    // Whoever does not wait has gone on by then.
    if (hasResult) for (let turns = 0; turns < 20; turns += 1) await turnOfLoop();
    const appended = await home.append(request);
    isStored ||= hasResult;
    return appended;
  };
  const asked = gate();
  const storedWhenAsked = asked.reached.then(() => isStored);
  asked.open();
  const model = scriptedModel([callTool("look")], [wait(asked), say("done")]);
  const store = changedObject(home, { append });
  await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")), store });
  const session = await host.open();
  expect(await session.submit({ text: "go" }).result).toMatchObject({ outcome: "completed", text: "done" });
  expect(await storedWhenAsked).toBe(true);
});

test("... or once a kill does not lose it, where the store says so; people hear of it when it is on the disk", async () => {
  const home = memoryStore();
  const asked = gate();
  const heard: string[] = [];
  let heardWhenAsked: readonly string[] = [];
  const append: HomeStore["append"] = async (request) => {
    const appended = await home.append(request);
    if (!request.rows.some(({ type }) => type === "tool.complete")) return appended;
    request.written?.();
    await asked.reached;
    for (let turns = 0; turns < 20; turns += 1) await turnOfLoop();
    heardWhenAsked = [...heard];
    asked.open();
    return appended;
  };
  const model = scriptedModel([callTool("look")], [wait(asked), say("done")]);
  const store = changedObject(home, { append });
  await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")), store });
  const session = await host.open();
  const reading = (async () => {
    for await (const { type } of session.events({})) {
      heard.push(type);
      if (type === "turn.end") return;
    }
  })();
  expect(await session.submit({ text: "go" }).result).toMatchObject({ outcome: "completed", text: "done" });
  await reading;
  expect(heardWhenAsked).toContain("tool.start");
  expect(heardWhenAsked).not.toContain("tool.complete");
  expect(heard).toContain("tool.complete");
});

test("a result that does not reach the disk ends the turn, though the model has answered", async () => {
  const home = memoryStore();
  const answered = gate();
  let isFull = true;
  const append: HomeStore["append"] = async (request) => {
    if (!isFull || !request.rows.some(({ type }) => type === "tool.complete"))
      return await home.append(request);
    isFull = false;
    request.written?.();
    await answered.reached;
    answered.open();
    throw new HostError("store_full", "The disk is full.");
  };
  const model = scriptedModel([callTool("look")], [wait(answered), say("done")]);
  const store = changedObject(home, { append });
  await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")), store });
  const session = await host.open();
  expect(await session.submit({ text: "go" }).result).toMatchObject({
    outcome: "failed",
    error: { code: "store_full" },
  });
});
