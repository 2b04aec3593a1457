import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { GatewayClient, spawned } from "../../../src/rpc/client/index.ts";
import { CommandStage } from "../../kit/command.ts";
import { LineTerminal } from "../../kit/line-terminal.ts";
import { reply, startModelServer } from "../../kit/model-server/index.ts";

const BIN = new URL("../../../bin/agent.js", import.meta.url).pathname;

function connected(stage: CommandStage): GatewayClient {
  const { PATH } = process.env;
  const env = { PATH, HOME: stage.folder, AGENT_HOME: stage.home, ...stage.env };
  const connect = spawned({ command: process.execPath, args: [BIN, "rpc"], cwd: stage.workspace, env });
  return new GatewayClient({ connect, reconnect: false });
}

test("a client chooses the model of a running gateway: it is looked at, checked, saved and used", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer({
    models: ["big-model", "small-model"],
    answer: () => reply("from the server"),
  });
  await using client = connected(stage);
  expect(await client.request("setup.status", {})).toMatchObject({ demo: true });
  const { servers } = await client.request("setup.servers", {});
  expect(servers).toEqual(expect.any(Array));
  const found = await client.request("setup.detect", { base_url: server.url });
  expect(found).toEqual({
    detected: true,
    api_mode: "chat_completions",
    base_url: server.baseUrl,
    models: [{ id: "big-model" }, { id: "small-model" }],
  });

  const wrong = { status: 401, body: '{"error":{"message":"Incorrect API key provided"}}' };
  server.script(wrong);
  const wish = { base_url: server.url, model: "big-model", api_key: "a-key-of-the-test-0123" };
  const refused = await client.request("setup.save", wish);
  expect(refused).toMatchObject({ saved: false, checks: [{ name: "provider", ok: false }] });
  expect(JSON.stringify(refused)).toContain("Incorrect API key");
  expect(existsSync(join(stage.home, "config.yaml"))).toBe(false);

  expect(await client.request("setup.save", wish)).toMatchObject({
    saved: true,
    provider: "local",
    model: "big-model",
    checks: [{ name: "provider", ok: true }],
  });
  const config = readFileSync(join(stage.home, "config.yaml"), "utf8");
  expect(parse(config)).toEqual({
    model: {
      provider: "local",
      base_url: server.baseUrl,
      api_mode: "chat_completions",
      key_env: "LOCAL_MODEL_KEY",
      default: "big-model",
    },
  });
  expect(readFileSync(join(stage.home, ".env"), "utf8")).toBe("LOCAL_MODEL_KEY=a-key-of-the-test-0123\n");
  expect(await client.request("setup.status", {})).toEqual({ provider_configured: true, demo: false });

  const { session_id } = await client.request("session.create", {});
  const events = client.events();
  await client.request("prompt.submit", { session_id, text: "hi" });
  for await (const { type, payload } of events) {
    if (type !== "message.complete") continue;
    expect(payload).toMatchObject({ text: "from the server", status: "complete" });
    break;
  }
});

test("a client's menu of places is that of `agent setup`, with what it has to ask for", async () => {
  await using stage = new CommandStage();
  stage.env["GROQ_API_KEY"] = "a-key-of-the-test-0123";
  await using client = connected(stage);
  const { places } = await client.request("setup.places", {});
  const groq = places.findIndex(({ provider }) => provider === "groq");
  expect(places[groq]).toMatchObject({ key: "known", key_variable: "GROQ_API_KEY", asks_address: false });
  expect(groq).toBeLessThan(places.findIndex(({ provider }) => provider === "openai"));
  const others = Object.fromEntries(
    places.map(({ label, key, asks_address }) => [label, [key, asks_address]]),
  );
  expect(others).toMatchObject({ OpenAI: ["needed", false], "Another address": ["optional", true] });
  using terminal = new LineTerminal(stage, ["setup"]);
  const menu = await terminal.shows(/Where is the model\?[\s\S]*\(Enter for 1\) > /);
  const shown = places.map(({ label, detail }) => (detail === "" ? label : `${label}: ${detail}`));
  expect([...menu.matchAll(/^ +\d+\) ([^\r\n]*)/gm)].map(([, line]) => line)).toEqual(shown);
});

test("what no configuration can hold is refused in words", async () => {
  await using stage = new CommandStage();
  await using client = connected(stage);
  await client.ready;
  const wish = { base_url: "not an address", model: "m" };
  await expect(client.request("setup.save", wish)).rejects.toThrow(/is no URL/);
  await expect(client.request("setup.save", { base_url: "http://x/v1", model: "" })).rejects.toThrow(/model/);
  expect(existsSync(join(stage.home, "config.yaml"))).toBe(false);
});
