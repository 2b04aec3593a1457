import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CommandStage, OPEN } from "../../kit/command.ts";
import { freePort } from "../../kit/free-port.ts";
import { GATEWAY_KEY, startGateway, startWebhooks } from "../../kit/gateway-command.ts";
import { noSandbox, sandboxStage } from "../../kit/sandbox.ts";
import { rpcCommand } from "../../kit/rpc-command.ts";
import { sign } from "../../automation/webhook/stage.ts";
import { TestTerminal } from "../../tui/terminal.ts";

/** Leaves a file in the workspace, and tries to leave one beside it. */
const WRITES = "run `echo made > here; echo no > ../out; cat ../secret`";
const SECRET = "a-secret-of-the-webhook";

function stageWithSecret(): CommandStage {
  const stage = sandboxStage();
  writeFileSync(join(stage.folder, "secret"), "canary");
  return stage;
}

/** What a command that ran inside has left. */
function expectInside(stage: CommandStage, said: string): void {
  expect(existsSync(join(stage.folder, "out"))).toBe(false);
  expect(readFileSync(join(stage.workspace, "here"), "utf8")).toBe("made\n");
  expect(said).not.toContain("canary");
}

async function webhook(stage: CommandStage, prompt: string): Promise<string> {
  const port = String(await freePort());
  Object.assign(stage.env, { WEBHOOK_ENABLED: "true", WEBHOOK_SECRET: SECRET, WEBHOOK_PORT: port });
  const { url } = await startWebhooks(stage);
  const body = JSON.stringify({ message: prompt });
  const answer = await fetch(`${url}/webhooks/agent`, {
    method: "POST",
    body,
    headers: sign(body, SECRET),
  });
  return await answer.text();
}

const WEBHOOK_TERMINAL =
  "toolsets: { webhook: [terminal] }\nplatforms: { webhook: { extra: { host: 127.0.0.1 } } }\n";

// Without bubblewrap there are no walls to look at: the reason is in the name.
describe.skipIf(noSandbox !== undefined)(`commands run inside ${noSandbox ?? ""}`, () => {
  test("over HTTP", async () => {
    await using stage = stageWithSecret();
    stage.configure(`terminal: { cwd: ${JSON.stringify(stage.workspace)} }\n`);
    const { url } = await startGateway(stage);
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${GATEWAY_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "default", messages: [{ role: "user", content: WRITES }] }),
    });
    const said = await answer.text();
    expect(answer.status, said).toBe(200);
    expectInside(stage, said);
  });

  test("in a job", async () => {
    await using stage = stageWithSecret();
    const made = await stage.ask(["jobs", "create", "every 1d", WRITES, "--json"]);
    const { id } = JSON.parse(made.stdout) as { readonly id: string };
    const { stdout, code } = await stage.ask(["jobs", "run", id]);
    expect(code).toBe(0);
    expectInside(stage, stdout);
  });

  test("in an editor, also when it has terminals of its own", async () => {
    await using stage = stageWithSecret();
    const command = stage.begin(["acp"], { stdin: OPEN });
    const send = (id: number, method: string, params: object): void =>
      void command.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    send(1, "initialize", { protocolVersion: 1, clientCapabilities: { terminal: true } });
    await command.line((line) => line.includes('"id":1'));
    send(2, "session/new", { cwd: stage.workspace, mcpServers: [] });
    const opened = await command.line((line) => line.includes('"id":2'));
    const { sessionId } = (JSON.parse(opened) as { readonly result: { readonly sessionId: string } }).result;
    send(3, "session/prompt", { sessionId, prompt: [{ type: "text", text: WRITES }] });
    await command.line((line) => line.includes('"id":3') && line.includes("stopReason"));
    expect(command.lines.join("\n")).not.toContain("terminal/create");
    expect(command.lines.join("\n")).not.toContain("session/request_permission");
    expectInside(stage, command.lines.join("\n"));
  });

  test("in an editor that names a server whose file is not there, which is said with what to do", async () => {
    await using stage = stageWithSecret();
    const file = join(stage.folder, "server.sh");
    writeFileSync(file, "cat");
    const command = stage.begin(["acp"], { stdin: OPEN });
    const send = (id: number, method: string, params: object): void =>
      void command.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    send(1, "initialize", { protocolVersion: 1 });
    await command.line((line) => line.includes('"id":1'));
    const server = { name: "far", command: "/bin/sh", args: [file], env: [] };
    send(2, "session/new", { cwd: stage.workspace, mcpServers: [server] });
    const told = await command.line((line) => line.includes("far: it ended"));
    expect(told).toContain(
      `It starts in the sandbox, which does not have ${file}: list the folder in sandbox.readable`,
    );
  });

  test("in the terminal client, whose status line says so; what leaves is asked, with the place", async () => {
    await using stage = stageWithSecret();
    await using terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows("demo");
    terminal.type(`${WRITES}\r`);
    await terminal.until(() => existsSync(join(stage.workspace, "here")), "the file");
    await terminal.shows(/─ .*sandbox/);
    expectInside(stage, terminal.text());
    terminal.type("run `git push origin main`\r");
    await terminal.shows("Would run outside the sandbox");
    expect(terminal.text()).toContain("git push origin main");
  });

  test("by `agent sandbox`, with its input, its exit code and a word on what was refused", async () => {
    await using stage = stageWithSecret();
    const line = "cat > here; cat ../secret; echo no > ../out; curl -sS https://a.invalid; exit 3";
    const end = await stage.run(["sandbox", "--", line], { stdin: "made\n" });
    expect(end.code).toBe(3);
    expectInside(stage, end.stdout);
    expect(end.stderr).toContain("the sandbox refused connections to a.invalid");
    const words = await stage.run(["sandbox", "--hosts", "a.invalid", "--", "printf", "%s|", "a b", "$HOME"]);
    expect(words).toMatchObject({ code: 0, stdout: "a b|$HOME|", stderr: "" });
  });

  test("doctor says which backend is used, and tries each escape", async () => {
    await using stage = sandboxStage();
    const { stdout } = await stage.ask(["doctor"]);
    expect(stdout).toMatch(/ok +sandbox +commands run inside \(terminal\.backend: auto; \w+/);
    expect(stdout.match(/ok +sandbox +A command inside could not have/g)).toHaveLength(5);
  });

  test("/sandbox shows what is allowed and was refused, and changes it for the session", async () => {
    await using stage = sandboxStage();
    stage.configure("sandbox: { hosts: [listed.invalid] }\n");
    const call = rpcCommand(stage);
    const made = (await call("session.create", { cwd: stage.workspace })) as {
      readonly result: { readonly session_id: string };
    };
    const { session_id } = made.result;
    const sandbox = async (arg: string): Promise<string> =>
      JSON.stringify(await call("command.dispatch", { session_id, name: "sandbox", arg }));
    expect(await sandbox("")).toMatch(/inside the sandbox[\s\S]*Reached: +listed\.invalid/);
    expect(await sandbox("allow mine.invalid:8080")).toContain("reach mine.invalid:8080");
    expect(await sandbox("")).toContain("mine.invalid:8080 (this session)");
    await sandbox("remove mine.invalid:8080");
    expect(await sandbox("")).not.toContain("mine.invalid");
    for (const wrong of ["http://x/", "***", "*", "*.*", "..", "exa_mple"]) {
      expect(await sandbox(`allow ${wrong}`)).toContain(`cannot be a host of the sandbox. It is no host: `);
      expect(await sandbox("")).not.toContain("(this session)");
    }
    expect(await sandbox("off")).toContain("outside the sandbox");
    expect(await sandbox("")).toContain("Commands run outside a sandbox");
    expect(await sandbox("on")).toContain("inside the sandbox");
  });

  test("MCP servers of the configuration only with `sandbox: true`", async () => {
    await using stage = stageWithSecret();
    const server = fileURLToPath(new URL("../../providers/mcp/programs/server.ts", import.meta.url));
    const line = `cat ../secret > ../seen-$0; exec ${process.execPath} ${server}`;
    const entry = (name: string, more: object) => ({
      [name]: { command: "sh", args: ["-c", line, name], ...more },
    });
    stage.configure(
      JSON.stringify({
        sandbox: { readable: [join(server, "../../../../..")] },
        mcp_servers: { ...entry("mine", {}), ...entry("walled", { sandbox: true }) },
      }),
    );
    const { stdout } = await stage.ask(["mcp", "test"]);
    expect(readFileSync(join(stage.folder, "seen-mine"), "utf8"), stdout).toBe("canary");
    expect(existsSync(join(stage.folder, "seen-walled"))).toBe(false);
  });
});

describe("a webhook's session without a sandbox", () => {
  test("has its commands refused, unless the owner allows them", async () => {
    await using stage = new CommandStage();
    stage.configure(`approvals: { mode: off }\n${WEBHOOK_TERMINAL}`);
    expect(await webhook(stage, "run `echo a > a`")).toContain("terminal.unsafe: true");
  });
});
