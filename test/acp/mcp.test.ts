import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type McpServer, methods } from "@agentclientprotocol/sdk/unstable";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, startModelServer } from "../kit/model-server/index.ts";
import { untilTrue } from "../kit/test-host.ts";
import { AcpEditor } from "./acp-stage.ts";
import { commandWire } from "./wire.ts";

const SERVER = fileURLToPath(new URL("./programs/mcp-server.ts", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../providers/mcp/programs/server.ts", import.meta.url));
const { session: on } = methods.agent;

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: m\n`;

const stdio = (pidFile: string): McpServer => ({
  name: "calc",
  command: process.execPath,
  args: [SERVER, pidFile],
  env: [{ name: "WHO", value: "the server" }],
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Prompts until the model was told of a tool. */
async function untilOffered(
  tool: string,
  {
    editor,
    sessionId,
    requests,
  }: { editor: AcpEditor; sessionId: string; requests: readonly { readonly body: unknown }[] },
): Promise<void> {
  do await editor.prompt(sessionId, "go");
  while (!JSON.stringify(requests.at(-1)?.body).includes(tool));
}

describe("an MCP server that the client names", () => {
  test("brings its tools, asks before each call, and ends with its session", async () => {
    await using server = await startModelServer({
      answer: ({ body }) => {
        const text = JSON.stringify(body);
        const isReady =
          text.includes("mcp_calc_add") && text.includes("add them") && !text.includes("the sum is");
        return isReady ? reply([callTool("mcp_calc_add", { a: 2, b: 3 })]) : reply("ok");
      },
    });
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    await using editor = new AcpEditor(commandWire(stage));
    const { agentCapabilities } = await editor.initialize();
    expect(agentCapabilities?.mcpCapabilities).toMatchObject({ http: true, sse: true });
    const pidFile = join(stage.folder, "pid");
    const { sessionId } = await editor.agent.request(on.new, {
      cwd: stage.workspace,
      mcpServers: [stdio(pidFile)],
    });
    await untilOffered("mcp_calc_add", { editor, sessionId, requests: server.requests });
    await editor.prompt(sessionId, "add them");
    expect(editor.permissions[0]).toMatchObject({
      toolCall: { title: "calc: add", rawInput: { a: 2, b: 3 } },
    });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("the sum is 5, says the server");
    const pid = Number(readFileSync(pidFile, "utf8"));
    expect(isAlive(pid)).toBe(true);
    await editor.agent.request(on.close, { sessionId });
    await untilTrue(() => !isAlive(pid));
    expect(isAlive(pid)).toBe(false);
  });

  test("that asks the user does so by the client's forms, and its secrets reach nobody", async () => {
    await using server = await startModelServer({
      answer: ({ body }) => {
        const text = JSON.stringify(body);
        const isAsked = text.includes("ask me") && text.includes("mcp_every_ask");
        if (!isAsked || text.includes("accept")) return reply("ok");
        return reply([callTool("mcp_every_ask", {}), callTool("mcp_every_env", {})]);
      },
    });
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    const answers = ["Ada", "37", "red", "skip"];
    const forms: string[] = [];
    await using editor = new AcpEditor(commandWire(stage), {
      capabilities: { elicitation: { form: {} } },
      extend: (app) =>
        app.onRequest(methods.client.elicitation.create, ({ params }) => {
          forms.push(params.message);
          return { action: "accept", content: { answer: answers.shift() ?? "" } };
        }),
    });
    await editor.initialize();
    const { sessionId } = await editor.agent.request(on.new, {
      cwd: stage.workspace,
      mcpServers: [
        {
          name: "every",
          command: process.execPath,
          args: [PROGRAM],
          env: [
            { name: "WHO", value: "hush-hush-hush" },
            { name: "API_TOKEN", value: "hush-hush-hush" },
          ],
        },
      ],
    });
    await untilOffered("mcp_every_ask", { editor, sessionId, requests: server.requests });
    await editor.prompt(sessionId, "ask me");
    expect(forms).toHaveLength(4);
    expect(forms[0]).toContain("MCP server every asks: Who are you?");
    const told = JSON.stringify(server.requests.at(-1)?.body);
    expect(told).toContain("Ada");
    expect(told).toContain("[redacted]");
    expect(told).not.toContain("hush-hush-hush");
    expect(JSON.stringify(editor.updates)).not.toContain("hush-hush-hush");
  });

  test("that hangs, is not there, or is nowhere costs session/new nothing, and the user is told", async () => {
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => void hanging.listen(0, "127.0.0.1", resolve));
    const { port } = hanging.address() as AddressInfo;
    await using stage = new CommandStage();
    await using editor = new AcpEditor(commandWire(stage), { capabilities: { session: { notices: {} } } });
    await editor.initialize();
    await editor.open(stage.workspace);
    const { sessionId } = await editor.agent.request(on.new, {
      cwd: stage.workspace,
      mcpServers: [
        { name: "gone", command: "/no/such/program", args: [], env: [] },
        { name: "dies", command: "/bin/sh", args: ["-c", "echo no database >&2; exit 3"], env: [] },
        { type: "http", name: "hangs", url: `http://127.0.0.1:${port}/mcp`, headers: [] },
        { type: "http", name: "refuses", url: "http://127.0.0.1:1/mcp", headers: [] },
      ],
    });
    // One of them never says a word: the answer did not wait for it, nor for the others.
    const answered = editor.messages.findIndex(({ result }) =>
      JSON.stringify(result ?? {}).includes(sessionId),
    );
    const first = editor.messages.findIndex(({ params }) =>
      JSON.stringify(params ?? {}).includes("MCP server "),
    );
    expect(first === -1 || first > answered).toBe(true);
    const told = (name: string): boolean =>
      editor.of(sessionId, "notice").some(({ title }) => title.includes(`MCP server ${name}:`));
    await editor.until(() => ["gone", "dies", "refuses"].every(told));
    expect(JSON.stringify(editor.of(sessionId, "notice"))).toContain("no database");
    expect(await editor.prompt(sessionId, "hi")).toMatchObject({ stopReason: "end_turn" });
    hanging.closeAllConnections();
    hanging.close();
  });

  test("ends its call by itself when the session is loaded again meanwhile, and keeps its tools", async () => {
    await using server = await startModelServer({
      answer: ({ body }) => {
        const text = JSON.stringify(body);
        const isAsked = text.includes("mcp_calc_wait") && text.includes("wait for it");
        return isAsked && !text.includes("the file came")
          ? reply([callTool("mcp_calc_wait", { file: join(stage.folder, "come") })])
          : reply("ok");
      },
    });
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    await using editor = new AcpEditor(commandWire(stage));
    await editor.initialize();
    const { workspace: cwd } = stage;
    const mcpServers = [stdio("")];
    const { sessionId } = await editor.agent.request(on.new, { cwd, mcpServers });
    await untilOffered("mcp_calc_wait", { editor, sessionId, requests: server.requests });
    const running = editor.prompt(sessionId, "wait for it");
    await editor.until(() =>
      editor.of(sessionId, "tool_call_update").some(({ status }) => status === "in_progress"),
    );
    await editor.agent.request(on.load, { sessionId, cwd, mcpServers });
    writeFileSync(join(stage.folder, "come"), "");
    expect(await running).toMatchObject({ stopReason: "end_turn" });
    const last = JSON.stringify(server.requests.at(-1)?.body);
    expect(last).toContain("the file came");
    expect(last).toContain("Waits for a file");
  });

  test("ends with the agent, whatever ends that", async () => {
    await using stage = new CommandStage();
    const wire = commandWire(stage);
    const editor = new AcpEditor(wire);
    await editor.initialize();
    const pidFile = join(stage.folder, "pid");
    await editor.agent.request(on.new, { cwd: stage.workspace, mcpServers: [stdio(pidFile)] });
    await untilTrue(() => existsSync(pidFile) && readFileSync(pidFile, "utf8") !== "");
    wire.command.child.kill("SIGTERM");
    await wire.over;
    const pid = Number(readFileSync(pidFile, "utf8"));
    await untilTrue(() => !isAlive(pid));
    expect(isAlive(pid)).toBe(false);
  });
});
