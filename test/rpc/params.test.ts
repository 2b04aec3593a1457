import { expect, test } from "vitest";
import { scriptedModel } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";

test("null and an empty session id count as left out where something may be left out", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const nothing = {
    title: null,
    cwd: null,
    cols: null,
    messages: null,
    model: null,
    parent_session_id: null,
  };
  const { session_id } = await client.call("session.create", nothing);
  for (const [method, params] of [
    ["session.active_list", { current_session_id: null }],
    ["session.list", { limit: null, search: null }],
    ["session.title", { session_id, title: null }],
    ["command.dispatch", { name: "help", arg: null, session_id: null }],
    ["commands.catalog", { session_id: "" }],
    ["complete.slash", { text: "/h", session_id: "" }],
    ["config.get", { key: "busy", session_id: "", cwd: null }],
    ["approval.pending", { session_id: "" }],
    ["process.stop", { session_id: null }],
  ] as const) {
    expect(await client.ask(method, params), method).not.toHaveProperty("error");
  }
  // Also where an object's own methods have the name.
  expect(await client.ask("gateway.ping", { toString: null, constructor: null })).toHaveProperty("result");
});

test("what is missing is named, with the number that its method has for it", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  for (const [method, params, code] of [
    ["session.usage", {}, -32_602],
    ["session.resume", { session_id: "" }, 4006],
    ["session.resume", { session_id: null }, 4006],
    ["session.delete", {}, 4006],
    ["session.usage", { session_id: "" }, 4001],
    ["session.close", { session_id: "never" }, 4001],
    ["process.stop", { session_id: "never" }, 4001],
    ["reload.mcp", { session_id: "never" }, 4001],
  ] as const) {
    expect((await client.ask(method, params)).error, JSON.stringify([method, params])).toMatchObject({
      code,
    });
  }
  expect((await client.ask("session.usage", {})).error).toEqual({
    code: -32_602,
    message: "session.usage: session_id is missing.",
    data: { code: "invalid_params", path: "session_id" },
  });
});

test("what is wrong is named by its path, also where the host finds it out", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  const { session_id } = await client.call("session.create", {});
  for (const [method, params, code, path] of [
    ["session.create", { session_id: "a/b" }, -32_602, "session_id"],
    ["session.create", { reasoning_effort: "huge" }, -32_602, "reasoning_effort"],
    ["session.create", { fast: true }, -32_602, "fast"],
    ["session.create", { messages: [{ role: 5 }] }, -32_602, "messages.0.role"],
    ["session.list", { cursor: "none" }, -32_602, "cursor"],
    ["session.search", { query: "..." }, -32_602, "query"],
    ["command.dispatch", { name: "fast", arg: "on", session_id }, -32_602, "arg"],
    ["slash.exec", { command: "fast on", session_id }, -32_602, "command"],
    ["config.set", { key: "model", value: "test --session" }, 4002, "session_id"],
    ["config.set", { key: "fast", value: "on", session_id }, 4002, "value"],
    ["prompt.submit", { session_id, text: " " }, 4012, "text"],
    ["session.list", [5], -32_602, ""],
  ] as const) {
    expect((await client.ask(method, params)).error, JSON.stringify([method, params])).toMatchObject({
      code,
      data: { code: "invalid_params", path },
    });
  }
});

test("an id of null is answered with it, and a byte order mark is no part of a message", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  client.send({ jsonrpc: "2.0", id: null, method: "gateway.ping" });
  client.send(`\uFEFF${JSON.stringify({ id: "marked", method: "gateway.ping" })}`);
  await client.frame(({ id }) => id === "marked");
  expect(client.frames.filter(({ id }) => id === null)).toMatchObject([{ result: { ok: true } }]);
});

test("a command of the program may ask for more time than there is", async () => {
  await using stage = await GatewayStage.open(scriptedModel());
  const client = await stage.client();
  expect(await client.call("cli.exec", { argv: ["--version"], timeout: 9000 })).toMatchObject({ code: 0 });
});
