import { expect, test } from "vitest";
import { memoryHome } from "../../src/providers/store/index.ts";
import { HostError } from "../../src/shared/errors/host-error.ts";
import {
  callTool,
  fail,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  think,
  used,
  wait,
} from "../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../kit/test-host.ts";
import { GatewayStage } from "./gateway-stage.ts";

test("the first frame is gateway.ready, without a session", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  expect(client.frames[0]).toMatchObject({
    jsonrpc: "2.0",
    method: "event",
    params: {
      type: "gateway.ready",
      payload: { skin: { name: "agent" }, version: "1.2.3", heartbeat: true },
    },
  });
  expect(client.events[0]).not.toHaveProperty("session_id");
});

test("a turn's events come in the order that clients rely on", async () => {
  const models = scriptedModel([think("hm"), say("Let me look."), callTool("look")], [say("Done.")]);
  await using stage = await GatewayStage.open(models, { toolsets: toolsOf(testTool("look")) });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  expect(await client.call("prompt.submit", { session_id: id, text: "go" })).toMatchObject({
    status: "streaming",
  });
  await client.ended(id);
  const begin = client.events.findIndex(({ type }) => type === "message.start");
  const turn = client.events.slice(begin).filter(({ type }) => type !== "sessions.changed");
  expect(turn.map(({ type }) => type)).toEqual([
    "message.start",
    "thinking.delta",
    "reasoning.delta",
    "message.delta",
    "thinking.delta",
    "reasoning.available",
    "session.usage",
    "tool.start",
    "tool.complete",
    "thinking.delta",
    "message.delta",
    "thinking.delta",
    "session.usage",
    "message.complete",
    "session.info",
  ]);
  const complete = turn.find(({ type }) => type === "message.complete");
  expect(complete?.payload).toMatchObject({ status: "complete", text: client.text(id) });
  expect(complete?.payload.text).toBe("Let me look.\n\nDone.");
});

test.each([
  ["length", /it reached the most that the model may write/],
  ["refusal", /the model, or its provider, refused/],
  ["stop", undefined],
] as const)("an answer that the model ends by %s says whether it is whole", async (reason, warning) => {
  await using stage = await GatewayStage.open(scriptedModel([say("Hal"), { type: "finish", reason }]));
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id, text: "go" });
  const { payload } = await client.event("message.complete");
  const word = warning === undefined ? undefined : expect.stringMatching(warning);
  expect(payload).toMatchObject({ status: "complete", text: "Hal" });
  expect(payload.warning).toEqual(word);
});

test("a model call that fails or is stopped before a word is over for who shows that it runs", async () => {
  const hold = gate();
  const model = scriptedModel([fail(new HostError("provider_auth", "The key is wrong."))], [wait(hold)]);
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  const captions = (): unknown[] =>
    client.events.filter(({ type }) => type === "thinking.delta").map(({ payload }) => payload.text);
  await client.call("prompt.submit", { session_id, text: "go" });
  await client.ended(session_id);
  expect(captions()).toEqual([expect.stringMatching(/./), ""]);
  await client.call("prompt.submit", { session_id, text: "go on" });
  await hold.reached;
  await client.call("session.interrupt", { session_id });
  await client.ended(session_id, 2);
  expect(captions().slice(2)).toEqual([expect.stringMatching(/./), ""]);
});

test("the end of a turn says how full the context is, once that is known", async () => {
  const model = scriptedModelWith({ contextLength: 1000 }, [say("One"), used(240, 10)]);
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id, text: "go" });
  const { payload } = await client.event("message.complete");
  const { context_used, context_max, context_percent } = payload.usage;
  expect([context_used, context_max, context_percent]).toEqual([250, 1000, 25]);
  expect(await client.call("session.usage", { session_id })).toMatchObject({ context_used, context_max });
});

test("two connections on one session both get everything", async () => {
  const hold = gate();
  await using stage = await GatewayStage.open(scriptedModel([say("one "), wait(hold), say("two")]));
  const [first, second] = [await stage.client(), await stage.client()];
  const { session_id: id } = await first.call("session.create", {});
  await first.call("prompt.submit", { session_id: id, text: "go" });
  await hold.reached;
  await first.event("message.delta");
  const attached = await second.call("session.activate", { session_id: id });
  expect(attached).toMatchObject({
    running: true,
    status: "working",
    inflight: { user: "go", assistant: "one " },
  });
  hold.open();
  await Promise.all([first.ended(id), second.ended(id)]);
  expect(first.text(id)).toBe("one two");
  expect(String(attached.inflight.assistant) + second.text(id)).toBe("one two");
});

test("a connection that closes neither ends its session nor stops the turn", async () => {
  const hold = gate();
  await using stage = await GatewayStage.open(scriptedModel([say("a"), wait(hold), say("b")]));
  const gone = await stage.client();
  const { session_id: id } = await gone.call("session.create", {});
  await gone.call("prompt.submit", { session_id: id, text: "go" });
  await hold.reached;
  gone.disconnect();
  const next = await stage.client();
  await next.call("session.resume", { session_id: id });
  hold.open();
  await next.ended(id);
  const { messages } = await next.call("session.history", { session_id: id });
  expect(messages.map(({ text }: { text: string }) => text)).toEqual(["go", "ab"]);
});

test("every id is answered once, also of requests that are none", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const ids = [1, "a", 2.5, "b", ""];
  client.send({ id: 1, method: "gateway.ping" });
  client.send({ id: "a", method: "no.such.method" });
  client.send({ id: 2.5, method: "gateway.ping", params: [1] });
  client.send({ id: "b" });
  client.send({ id: "", method: "session.title", params: { session_id: 7 } });
  client.send("not json");
  client.send([{ id: 9, method: "gateway.ping" }]);
  client.send({ method: "gateway.ping" });
  await client.call("gateway.ping");
  const answers = client.frames.filter((frame) => !("method" in frame));
  for (const id of ids) expect(answers.filter((frame) => frame["id"] === id)).toHaveLength(1);
  expect(answers.filter(({ id }) => id === null)).toMatchObject([
    { error: { code: -32_700 } },
    { error: { code: -32_600 } },
  ]);
  const codes = ids.map(
    (id) => (answers.find((frame) => frame["id"] === id) as { error?: { code: number } }).error?.code,
  );
  expect(codes).toEqual([undefined, -32_601, -32_602, -32_600, -32_602]);
});

test("session.timeline tells where the time of a turn went, while it runs too", async () => {
  const hold = gate();
  const models = scriptedModel([say("Looking."), callTool("look")], [wait(hold), say("Done.")]);
  await using stage = await GatewayStage.open(models, { toolsets: toolsOf(testTool("look")) });
  const client = await stage.client();
  const { session_id: id } = await client.call("session.create", {});
  await client.call("prompt.submit", { session_id: id, text: "go" });
  await client.event("tool.complete");
  await hold.reached;
  const { turns } = await client.call("session.timeline", { session_id: id });
  expect(turns).toMatchObject([
    { text: "go", from: { surface: "gateway" }, spans: [{}, {}, { kind: "model" }] },
  ]);
  expect(turns[0]).not.toHaveProperty("ended_at");
  expect(turns[0]?.spans.at(-1)).not.toHaveProperty("end");
  hold.open();
  await client.ended(id);
  const { messages } = await client.call("session.history", { session_id: id });
  const [whole] = (await client.call("session.timeline", { session_id: id })).turns;
  expect(whole).toMatchObject({ outcome: "completed", row_id: messages[0]?.row_id });
  expect(whole?.spans).toMatchObject([{ kind: "model" }, { kind: "tool", outcome: "ok" }, { kind: "model" }]);
});

test("a session that this host knows as it was is resumed as it is by now", async () => {
  const home = memoryHome();
  await using there = await hostWith(scriptedModel([say("one")], [say("two")]), { store: home.open() });
  await using stage = await GatewayStage.open(scriptedModel(), { store: home.open() });
  const session = await there.open();
  await session.submit({ text: "first" }).result;
  await stage.host.session(session.id);
  await session.submit({ text: "second" }).result;
  const client = await stage.client();
  const resumed = await client.call("session.resume", { session_id: session.id });
  const texts = resumed.messages.map(({ text }: { text: string }) => text);
  expect(texts).toEqual(["first", "one", "second", "two"]);
  expect(resumed).toMatchObject({ message_count: 4, running: false, inflight: null });
});
