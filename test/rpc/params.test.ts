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
