import { expect, test } from "vitest";
import { gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";

/** What the public client shows of a refusal: the message, which is for people. */
const SENTENCE = /^[A-Z][^{}]*[.]$/;

test("parts that this host does not have answer in the shapes that the public client shows", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  expect(await client.call("rollback.list", { session_id })).toEqual({ enabled: false, checkpoints: [] });
  expect(await client.call("rollback.restore", { session_id, hash: "1" })).toEqual({
    success: false,
    error: expect.stringMatching(SENTENCE),
    reason: "disabled",
  });
  expect(await client.call("plugins.manage", { action: "list" })).toEqual({
    plugins: [],
    user_count: 0,
    bundled_count: 0,
  });
  expect(await client.call("voice.toggle", { action: "status" })).toMatchObject({
    enabled: false,
    available: false,
    details: expect.stringMatching(SENTENCE),
  });
  expect(await client.call("browser.manage", { action: "connect", url: "http://127.0.0.1:9222" })).toEqual({
    connected: false,
    messages: [expect.stringMatching(SENTENCE)],
  });
  expect(await client.call("session.events.stats", { session_id })).toMatchObject({
    bytes: 0,
    latest_seq: expect.any(Number),
  });
  expect(await client.call("session.events.stats", {})).not.toHaveProperty("latest_seq");
});

test.each([
  ["rollback.diff", { hash: "1" }, 5022],
  ["plugins.manage", { action: "toggle", name: "x", enable: true }, 5026],
  ["voice.toggle", { action: "on" }, 4014],
  ["voice.toggle", { action: "tts" }, 4014],
  ["voice.record", { action: "start" }, -32_601],
  ["billing.state", {}, -32_601],
  ["learning.frames", {}, -32_601],
  ["handoff.start", {}, -32_601],
] as const)("%s %j is refused with a sentence for people", async (method, params, code) => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  const { error } = await client.ask(method, { session_id, ...params });
  expect(error).toMatchObject({ code, message: expect.stringMatching(SENTENCE) });
  if (code === -32_601) expect(error?.message).toContain("This host has no ");
});

test("session.redirect interrupts the running turn and goes on with the text", async () => {
  const hold = gate();
  await using stage = await GatewayStage.open(scriptedModel([say("one "), wait(hold)], [say("two")]));
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  expect(await client.call("session.redirect", { session_id, text: "now" })).toMatchObject({
    status: "rejected",
  });
  await client.call("prompt.submit", { session_id, text: "go" });
  await hold.reached;
  expect(await client.call("session.redirect", { session_id, text: "rather this" })).toEqual({
    status: "redirected",
    text: "rather this",
  });
  await client.ended(session_id, 2);
  expect(client.text(session_id)).toBe("one two");
});

test("prompt.btw asks beside the session", async () => {
  await using stage = await GatewayStage.open(scriptedModel([say("aside")]));
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  const { task_id } = await client.call("prompt.btw", { session_id, text: "what is this?" });
  const done = await client.event("background.complete", ({ payload }) => payload.task_id === task_id);
  expect(done.payload.text).toBe("aside");
});
