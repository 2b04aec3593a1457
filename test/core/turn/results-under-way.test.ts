import { expect, test } from "vitest";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { type HomeStore, memoryStore } from "../../../src/providers/store/index.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { callTool, type Gate, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

/** A store in which the first result of a call arrives when a gate was reached, or fails then. */
function lateResults(until: Gate, failure?: HostError): HomeStore {
  const store = memoryStore();
  let isFirst = true;
  const append: HomeStore["append"] = async (request) => {
    if (isFirst && request.rows.some(({ type }) => type === "tool.complete")) {
      isFirst = false;
      await until.reached;
      if (failure !== undefined) throw failure;
    }
    return await store.append(request);
  };
  return changedObject(store, { append });
}

const rowsOf = async (host: Awaited<ReturnType<typeof hostWith>>, id: string) => {
  const session = await host.session(id);
  const events = await Array.fromAsync(session.events({ follow: false, live: false }));
  return events.map(({ type }) => type).filter((type) => /^(tool|reply|turn)\./.test(type));
};

test("the model is asked while the result of a call is on its way to the log, and its reply comes behind that", async () => {
  const asked = gate();
  asked.open();
  const model = scriptedModel([callTool("look")], [wait(asked), say("done")]);
  await using host = await hostWith(model, {
    toolsets: toolsOf(testTool("look")),
    store: lateResults(asked),
  });
  const session = await host.open();
  expect(await session.submit({ text: "go" }).result).toMatchObject({ outcome: "completed", text: "done" });
  expect(await rowsOf(host, session.id)).toEqual([
    "turn.start",
    "reply.complete",
    "tool.start",
    "tool.complete",
    "reply.complete",
    "turn.end",
  ]);
});

test("a result that cannot be stored fails its turn, which keeps what the model has said meanwhile", async () => {
  const asked = gate();
  const failure = new HostError("store_unavailable", "The disk is full.");
  const model = scriptedModel([callTool("look")], [wait(asked), say("done")], [say("again")]);
  const store = lateResults(asked, failure);
  await using host = await hostWith(model, { toolsets: toolsOf(testTool("look")), store });
  const session = await host.open();
  const turn = session.submit({ text: "go" });
  await asked.reached;
  asked.open();
  expect(await turn.result).toMatchObject({ outcome: "failed", error: { code: "store_unavailable" } });
  expect(await rowsOf(host, session.id)).toEqual([
    "turn.start",
    "reply.complete",
    "tool.start",
    "reply.complete",
    "tool.complete",
    "turn.end",
  ]);
  expect(await session.submit({ text: "again" }).result).toMatchObject({ outcome: "completed" });
  // The call that has no result in the log has one in what the model is asked.
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("the outcome of this call is unknown");
});
