import { setImmediate as turnOfLoop } from "node:timers/promises";
import { expect, test } from "vitest";
import { type HomeStore, memoryStore } from "../../../src/providers/store/index.ts";
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
