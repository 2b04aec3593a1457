import { expect, test } from "vitest";
import { HostError } from "../../src/shared/errors/host-error.ts";
import { handClock } from "../kit/clock.ts";
import { callTool, fail, gate, say, scriptedModel, type Step, wait } from "../kit/scripted-model.ts";
import { testTool, toolsOf } from "../kit/test-host.ts";
import { askingTool } from "../kit/asking-tool.ts";
import { GatewayStage } from "./gateway-stage.ts";
import type { LinkedClient } from "./raw-client.ts";

const never = (): Promise<string> => new Promise(() => undefined);

const busy = testTool("busy", {
  run: (_input, { signal }) => {
    const { promise, reject } = Promise.withResolvers<string>();
    signal.addEventListener("abort", () => reject(new Error("stopped")));
    return promise;
  },
});
const change = testTool("change", { effect: "once", run: never });
const clarify = askingTool({ kind: "clarify", question: "Which?", choices: [] }, []);
const overloaded = new HostError("provider_overloaded", "Busy.", { details: { retryAfterMs: 60_000 } });

const POINTS: readonly [
  name: string,
  steps: readonly Step[],
  reached: (client: LinkedClient) => Promise<unknown>,
][] = [
  ["before the first word", [wait(gate())], (client) => client.event("message.start")],
  ["in the middle of the answer", [say("half"), wait(gate())], (client) => client.event("message.delta")],
  ["in a tool", [callTool("busy")], (client) => client.event("tool.start")],
  ["at an approval", [callTool("change")], (client) => client.event("approval.request")],
  ["at a question", [callTool("ask")], (client) => client.event("clarify.request")],
  [
    "while it waits to try again",
    [fail(overloaded)],
    (client) => client.event("status.update", ({ payload }) => payload.kind === "lifecycle"),
  ],
];

test.each(POINTS)(
  "an interrupt %s ends the turn, and the next prompt works",
  async (_name, steps, reached) => {
    const clock = handClock();
    const toolsets = toolsOf(busy, change, clarify);
    await using stage = await GatewayStage.open(scriptedModel([...steps]), { toolsets, clock });
    const client = await stage.client();
    const { session_id: id } = await client.call("session.create", {});
    await client.call("prompt.submit", { session_id: id, text: "go" });
    await reached(client);
    await client.call("prompt.submit", { session_id: id, text: "queued" });
    expect(await client.call("session.interrupt", { session_id: id })).toEqual({
      status: "interrupted",
      interrupted: true,
      dropped: ["queued"],
    });
    await client.ended(id);
    const { payload } = await client.event("message.complete");
    expect(payload).toMatchObject({ status: "interrupted", text: client.text(id) });
    expect(await client.call("session.status", { session_id: id })).toMatchObject({
      state: { running: false, queue: [] },
      open_requests: [],
    });
    await client.call("prompt.submit", { session_id: id, text: "again" });
    await client.ended(id, 2);
    expect(client.events.findLast(({ type }) => type === "message.complete")?.payload).toMatchObject({
      status: "complete",
      text: "ok",
    });
  },
);

test("an interrupt of an idle session is a no-op, also twice", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  for (let time = 0; time < 2; time += 1) {
    expect(await client.call("session.interrupt", { session_id: id })).toEqual({
      status: "interrupted",
      interrupted: false,
      dropped: [],
    });
  }
});

test("what another client has queued stays and runs next", async () => {
  const hold = gate();
  await using stage = await GatewayStage.open(scriptedModel([wait(hold)], [say("theirs")]));
  const [mine, theirs] = [await stage.client(), await stage.client()];
  const { session_id: id } = await mine.call("session.create", {});
  await mine.call("prompt.submit", { session_id: id, text: "go" });
  await hold.reached;
  expect(await theirs.call("prompt.submit", { session_id: id, text: "their prompt" })).toMatchObject({
    status: "queued",
    position: 1,
  });
  expect(await mine.call("session.interrupt", { session_id: id })).toMatchObject({ dropped: [] });
  await mine.ended(id, 2);
  expect(mine.text(id)).toBe("theirs");
});
