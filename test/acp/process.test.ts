import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CommandStage, OPEN, type RunningCommand } from "../kit/command.ts";
import { callTool, reply, startModelServer } from "../kit/model-server/index.ts";
import { untilTrue } from "../kit/test-host.ts";
import { AcpEditor, openEditor } from "./acp-stage.ts";
import { commandWire } from "./wire.ts";

const HELLO = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}\n';
const BIN = fileURLToPath(new URL("../../bin/agent.js", import.meta.url));

const answerTo = (id: unknown) => (line: string) => (JSON.parse(line) as { id?: unknown }).id === id;

/** Sends a line and gives the answer to it. */
async function ask(command: RunningCommand, line: string, id: unknown): Promise<unknown> {
  command.child.stdin.write(`${line}\n`);
  return JSON.parse(await command.line(answerTo(id)));
}

async function started(stage: CommandStage): Promise<RunningCommand> {
  const command = stage.start(["acp"], { stdin: OPEN });
  command.child.stdin.write(HELLO);
  await command.line(answerTo(0));
  return command;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("the process", () => {
  test("says nothing on stderr, and nothing on stdout but the protocol", async () => {
    await using stage = new CommandStage();
    const { editor, sessionId } = await openEditor(stage);
    await editor.prompt(sessionId, "hi");
    await editor[Symbol.asyncDispose]();
    expect(await editor.wire.over).toBe("exit code 0. ");
  });

  test.each([
    ["its input ends", (command: RunningCommand) => void command.child.stdin.end(), 0],
    ["it is terminated", (command: RunningCommand) => void command.child.kill("SIGTERM"), 143],
    ["its terminal is gone", (command: RunningCommand) => void command.child.kill("SIGHUP"), 143],
  ])(
    "SHUTDOWN: ends within two seconds when %s, with all that it started, and keeps the session",
    async (_name, end, code) => {
      await using server = await startModelServer();
      await using stage = new CommandStage();
      stage.configure(
        `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: m\napprovals:\n  mode: "off"\n`,
      );
      const command = "trap '' TERM HUP; echo $$ > pid; sleep 300";
      server.script(reply([callTool("terminal", { command })]));
      const wire = commandWire(stage);
      const editor = new AcpEditor(wire);
      await editor.initialize();
      const sessionId = await editor.open(stage.workspace);
      void editor.prompt(sessionId, "run").catch(() => undefined);
      const file = join(stage.workspace, "pid");
      await untilTrue(() => existsSync(file) && readFileSync(file, "utf8").trim() !== "");
      const began = performance.now();
      end(wire.command);
      expect(await wire.command.end).toMatchObject({ code, stderr: "" });
      expect(performance.now() - began).toBeLessThan(2500);
      await untilTrue(() => !isAlive(Number(readFileSync(file, "utf8"))));
      const { stdout } = await stage.run(["sessions", "show", sessionId]);
      expect(stdout).toContain("run");
    },
  );

  test("ends when its parent has vanished without closing anything", async () => {
    await using stage = new CommandStage();
    // The input stays open in somebody else's hands, as it does when a wrapper dies.
    const script = `exec 3<&0; node "${BIN}" acp <&3 > out & echo $! > agent; wait`;
    const shell = spawn("bash", ["-c", script], {
      cwd: stage.workspace,
      env: { ...process.env, AGENT_HOME: stage.home },
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell.stdin.write(HELLO);
    const out = join(stage.workspace, "out");
    await untilTrue(() => existsSync(out) && readFileSync(out, "utf8").includes("protocolVersion"));
    const agent = Number(readFileSync(join(stage.workspace, "agent"), "utf8"));
    shell.kill("SIGKILL");
    await untilTrue(() => !isAlive(agent));
    shell.stdin.end();
    expect(isAlive(agent)).toBe(false);
  });

  test("ends when nobody reads its output any more", async () => {
    await using stage = new CommandStage();
    const command = await started(stage);
    command.child.stdout.destroy();
    command.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n');
    expect(await command.end).toMatchObject({ stderr: "" });
  });
});

const DEEP = `{"jsonrpc":"2.0","id":8,"method":"_x","params":${"[".repeat(100)}${"]".repeat(100)}}`;

describe("a bad line", () => {
  test.each([
    ["no JSON", { line: "{", id: null, code: -32700 }],
    ["a batch", { line: "[]", id: null, code: -32600 }],
    ["a bare value", { line: "5", id: null, code: -32600 }],
    ["no version", { line: '{"id":5,"method":"session/list"}', id: null, code: -32600 }],
    ["an unknown method", { line: '{"jsonrpc":"2.0","id":5,"method":"nope"}', id: 5, code: -32601 }],
    ["an unknown extension", { line: '{"jsonrpc":"2.0","id":6,"method":"_x/y"}', id: 6, code: -32601 }],
    [
      "wrong params",
      { line: '{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":5}}', id: 7, code: -32602 },
    ],
    ["a deep value", { line: DEEP, id: 8, code: -32602 }],
  ])("is answered in one line, and the process lives: %s", async (_name, { line, id, code }) => {
    await using stage = new CommandStage();
    const command = await started(stage);
    const answer = await ask(command, line, id);
    expect(answer).toMatchObject({ id, error: { code, message: expect.stringMatching(/^[^\n]+$/) } });
    expect(
      await ask(command, '{"jsonrpc":"2.0","id":"z","method":"session/list","params":{}}', "z"),
    ).toMatchObject({
      result: { sessions: [] },
    });
    command.child.stdin.end();
    expect(await command.end).toMatchObject({ code: 0, stderr: "" });
  });

  test("of 40 MB is answered with an error, and costs little memory", { timeout: 60_000 }, async () => {
    await using stage = new CommandStage();
    const command = await started(stage);
    const text = "x".repeat(40 * 2 ** 20);
    const request = `{"jsonrpc":"2.0","method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"${text}"}]},"id":9}`;
    expect(await ask(command, request, 9)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining("at most") },
    });
    expect(
      await ask(command, '{"jsonrpc":"2.0","id":"z","method":"session/list","params":{}}', "z"),
    ).toMatchObject({
      result: { sessions: [] },
    });
  });

  test("before the client has introduced itself is refused, and so is a request for a session", async () => {
    await using stage = new CommandStage();
    const command = stage.start(["acp"], { stdin: OPEN });
    expect(
      await ask(
        command,
        '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}',
        1,
      ),
    ).toMatchObject({ error: { code: -32600 } });
  });
});
