import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mcpSecrets, configuredMcpServers } from "../../../src/app/config/mcp-servers.ts";
import { checkConfig } from "../../../src/app/config/settings.ts";
import { sampleFor } from "../../../src/app/mcp/sample.ts";
import { GatewayClient, spawned } from "../../../src/rpc/client/index.ts";
import { CommandStage } from "../../kit/command.ts";
import { say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";
import { callTool, reply, startModelServer } from "../../kit/model-server/index.ts";

const BIN = new URL("../../../bin/agent.js", import.meta.url).pathname;
const SERVER = fileURLToPath(new URL("../../providers/mcp/programs/server.ts", import.meta.url));

const server = (name: string, more: object = {}) => ({
  [name]: { command: process.execPath, args: [SERVER], env: { WHO: "${TOKEN}" }, ...more },
});
const config = (baseUrl: string, servers: object): string =>
  JSON.stringify({
    model: { provider: "local", base_url: baseUrl, default: "m" },
    approvals: { mode: "off" },
    mcp_servers: servers,
  });

function connected(stage: CommandStage): GatewayClient {
  const { PATH } = process.env;
  const env = { PATH, HOME: stage.folder, AGENT_HOME: stage.home, ...stage.env };
  const connect = spawned({ command: process.execPath, args: [BIN, "rpc"], cwd: stage.workspace, env });
  return new GatewayClient({ connect, reconnect: false });
}

test("a gateway connects the configured servers behind its turns, and anew when it is told to", async () => {
  await using models = await startModelServer({
    answer: ({ body }) => {
      const text = JSON.stringify(body);
      const mayCall = text.includes("who is it") && text.includes("mcp_calc_env") && !text.includes("cwd");
      return mayCall ? reply([callTool("mcp_calc_env", {})]) : reply("done");
    },
  });
  await using stage = new CommandStage();
  stage.write(".env", "TOKEN=a-very-secret-value\n");
  const hanging = { hangs: { command: "sleep", args: [60] } };
  stage.configure(
    config(models.baseUrl, { ...server("calc"), ...hanging, off: { url: "http://a/b", enabled: false } }),
  );
  await using client = connected(stage);
  const infos: { readonly name: string; readonly status: string; readonly tools: number }[][] = [];
  let over = Promise.withResolvers<void>();
  let look = (): void => undefined;
  client.subscribe((event) => {
    if (event.type === "message.complete") over.resolve();
    if (event.type === "session.info") infos.push(event.payload.mcp_servers);
    look();
  });
  const { session_id } = await client.request("session.create", { cwd: stage.workspace });
  const prompt = async (text: string): Promise<void> => {
    over = Promise.withResolvers();
    await client.request("prompt.submit", { session_id, text });
    await over.promise;
  };
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      look = () => holds() && resolve();
      look();
    });
  const statusOf = (name: string) => infos.at(-1)?.find((each) => each.name === name)?.status;

  await prompt("hello");
  // The first turn waited for no server.
  expect(["configured", "connecting"]).toContain(statusOf("hangs"));
  await until(() => statusOf("calc") === "connected");
  expect(infos.at(-1)).toMatchObject([
    { name: "calc", transport: "stdio", status: "connected", connected: true, tools: 19 },
    { name: "hangs", status: "connecting", tools: 0 },
    { name: "off", transport: "http", status: "disabled", disabled: true },
  ]);
  await prompt("who is it");
  const sent = JSON.stringify(models.requests.at(-1)?.body);
  expect(sent).toContain(stage.workspace);
  expect(sent).not.toContain("a-very-secret-value");

  const listed = await client.request("toolsets.list", { session_id });
  expect(listed.toolsets.find(({ name }) => name === "mcp:hangs")).toBeDefined();
  const shown = await client.request("slash.exec", { session_id, command: "/mcp" });
  expect(JSON.stringify(shown)).toContain("calc  stdio  connected");
  const review = await client.request("command.dispatch", { session_id, name: "calc:review", arg: "a.ts" });
  expect(review).toMatchObject({ type: "send" });

  stage.configure(config(models.baseUrl, { ...server("calc"), ...server("other") }));
  expect(await client.request("reload.mcp", { session_id })).toMatchObject({ status: "confirm_required" });
  expect(await client.request("reload.mcp", { session_id, confirm: true })).toEqual({ status: "reloaded" });
  await until(() => statusOf("other") === "connected" && statusOf("calc") === "connected");
  expect(infos.at(-1)?.map(({ name }) => name)).toEqual(["calc", "other"]);
});

test("a server that lacks a key asks for it when it is first needed, and is there in the same turn", async () => {
  await using models = await startModelServer({
    answer: ({ body }) => {
      const text = JSON.stringify(body);
      if (text.includes("needs_env") && text.includes("is connected")) {
        return text.includes("cwd") ? reply("done") : reply([callTool("mcp_needs_env", {})]);
      }
      return text.includes('"name":"mcp_needs_connect"') && text.includes("who is it")
        ? reply([callTool("mcp_needs_connect", {})])
        : reply("not there");
    },
  });
  await using stage = new CommandStage();
  stage.configure(config(models.baseUrl, server("needs")));
  await using client = connected(stage);
  const over = Promise.withResolvers<void>();
  const connectable = Promise.withResolvers<void>();
  const asked: unknown[] = [];
  client.subscribe((event) => {
    if (event.type === "message.complete") over.resolve();
    if (event.type === "session.info" && event.payload.mcp_servers.some(({ status }) => status === "failed"))
      connectable.resolve();
    if (event.type === "secret.request") {
      asked.push(event.payload);
      const { request_id } = event.payload;
      void client.request("secret.respond", { request_id, value: "a-very-secret-value" });
    }
    if (event.type === "clarify.request") {
      const { request_id, choices } = event.payload;
      void client.request("clarify.respond", { request_id, answer: choices?.[0] ?? "" });
    }
  });
  const { session_id } = await client.request("session.create", { cwd: stage.workspace });
  await connectable.promise;
  await client.request("prompt.submit", { session_id, text: "who is it" });
  await over.promise;
  expect(asked).toMatchObject([{ env_var: "TOKEN", prompt: "The MCP server needs needs a key. TOKEN:" }]);
  expect(readFileSync(join(stage.home, ".env"), "utf8")).toBe("TOKEN=a-very-secret-value\n");
  const sent = JSON.stringify(models.requests.at(-1)?.body);
  expect(sent).toContain("The MCP server needs is connected.");
  expect(sent).toContain(stage.workspace);
  expect(sent).not.toContain("a-very-secret-value");
});

test("agent run has the servers' tools in its one turn", async () => {
  await using models = await startModelServer({ answer: () => reply("done") });
  await using stage = new CommandStage();
  stage.env["TOKEN"] = "a-very-secret-value";
  stage.configure(config(models.baseUrl, { ...server("calc"), gone: { command: "/no/such/program" } }));
  expect(await stage.ask(["run", "hello"])).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
  expect(JSON.stringify(models.requests[0]?.body)).toContain("mcp_calc_echo");
});

test("what comes from a pipe waits for the servers' tools too", async () => {
  await using models = await startModelServer();
  models.script(reply("done"));
  await using stage = new CommandStage();
  stage.env["TOKEN"] = "a-very-secret-value";
  stage.configure(config(models.baseUrl, server("calc")));
  const { code } = await stage.run([], { stdin: "who is it\n" });
  expect(code).toBe(0);
  expect(JSON.stringify(models.requests[0]?.body)).toContain("mcp_calc_env");
});

test("servers of the configuration are read with their variables, and what is wrong with one is its own problem", () => {
  const read = (servers: object, env: Record<string, string> = {}) =>
    configuredMcpServers(checkConfig({ mcp_servers: servers }, "config.yaml").mcp_servers, env);
  const [first, second] = read(
    {
      one: {
        command: "npx",
        args: ["-y", 1],
        env: { KEY: "${KEY}", MODE: "${MODE:-fast}" },
        timeout: 5,
        sampling: true,
      },
      two: {
        url: "https://a.test/${PATH_PART}",
        transport: "sse",
        tools: { include: ["a"], prompts: false },
      },
    },
    { KEY: "k" },
  );
  expect(first).toEqual({
    type: "stdio",
    name: "one",
    command: "npx",
    args: ["-y", "1"],
    env: { KEY: "k", MODE: "fast" },
    callMs: 5000,
    sampling: true,
  });
  expect(second).toMatchObject({ type: "sse", include: ["a"], prompts: false });
  expect(second?.problem).toContain("its setting url names ${PATH_PART}, which is set neither");
  expect(() => read({ bad: { command: "a", url: "http://b" } })).toThrow(
    /mcp_servers\.bad .*either a `command`/,
  );
  expect(() => read({ bad: { url: "http://b", timeout: -1 } })).toThrow(/mcp_servers\.bad\.timeout/);
});

test("a server's question to the model is asked of the session's, without its conversation and tools", async () => {
  const models = scriptedModel([say("forty-two")]);
  await using host = await hostWith(models);
  const { id } = await host.open();
  const answer = await sampleFor(host, {
    server: "calc",
    session: id,
    system: "Be brief.",
    messages: [{ role: "user", text: "What is the answer?" }],
    maxTokens: 100,
    signal: new AbortController().signal,
  });
  expect(answer).toMatchObject({ text: "forty-two", isCut: false });
  expect(models.requests).toMatchObject([
    { system: "Be brief.", tools: [], maxOutputTokens: 100, messages: [{ role: "user" }] },
  ]);
});

test("what is secret in servers' settings is known to be", () => {
  const secrets = mcpSecrets([
    {
      type: "stdio",
      name: "a",
      command: "a",
      args: [],
      env: { API_TOKEN: "token-value", MODE: "plain-mode" },
    },
    {
      type: "http",
      name: "b",
      url: "https://user:pass-word@b.test/mcp?api_key=query-key&page=2",
      headers: { Authorization: "Bearer bearer-value", "X-Tenant": "tenant" },
    },
  ]);
  expect(secrets.toSorted()).toEqual([
    "Bearer bearer-value",
    "bearer-value",
    "pass-word",
    "query-key",
    "token-value",
    "user:pass-word",
  ]);
});

test("agent mcp lists servers without connecting, and tests them", async () => {
  await using stage = new CommandStage();
  stage.env["TOKEN"] = "a-very-secret-value";
  stage.configure(config("http://127.0.0.1:9", { ...server("calc"), gone: { command: "/no/such/program" } }));
  const listed = await stage.ask(["mcp", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { name: "calc", transport: "stdio", enabled: true, problem: null },
    { name: "gone", target: "/no/such/program" },
  ]);
  const tested = await stage.ask(["mcp", "test"]);
  expect([tested.code, tested.stdout]).toEqual([
    1,
    expect.stringContaining("calc  stdio  connected\n  tools: mcp_calc_echo"),
  ]);
  expect(tested.stdout).toContain("gone  stdio  failed: ");
  expect(tested.stdout + listed.stdout).not.toContain("a-very-secret-value");
});
