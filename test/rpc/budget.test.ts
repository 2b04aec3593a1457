import { expect, test } from "vitest";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import { say, scriptedModel, used } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";

test("a session without a budget says so, takes no turn for running, and goes on with /budget", async () => {
  const policy = { ...DEFAULT_POLICY, limits: { ...DEFAULT_POLICY.limits, sessionTokens: 10 } };
  const model = scriptedModel([say("first"), used(10, 10)], [say("third")]);
  await using stage = await GatewayStage.open(model, { policy });
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id, text: "one" });
  await client.ended(session_id);
  await client.call("prompt.submit", { session_id, text: "two" });
  expect((await client.ended(session_id, 2)).payload).toMatchObject({ running: false });
  const { payload } = await client.event("message.complete", (event) => event.payload.status === "error");
  expect(payload.error.code).toBe("budget_exceeded");
  expect(payload.error.message).toContain("/budget 20");
  const { state } = await client.call("session.status", { session_id });
  expect(state).toMatchObject({ status: "idle", running: false, waiting: { cause: "budget" } });
  const sent = await client.call("command.dispatch", { session_id, command: "/budget 1000" });
  expect(sent).toMatchObject({ type: "send", message: "Go on where you stopped." });
  await client.call("prompt.submit", { session_id, text: sent.message });
  await client.ended(session_id, 3);
  expect(client.text(session_id)).toContain("third");
  expect((await client.call("session.status", { session_id })).state).not.toHaveProperty("waiting");
});
