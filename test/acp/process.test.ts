import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CommandStage, OPEN, type RunningCommand } from "../kit/command.ts";
import { callTool, reply, startModelServer } from "../kit/model-server/index.ts";
import { untilTrue } from "../kit/test-host.ts";
import { AcpEditor } from "./acp-stage.ts";
import { soonEnough } from "./soon-enough.ts";
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
    const editor = new AcpEditor(commandWire(stage, stage.start(["acp"], { stdin: OPEN })));
    await editor.initialize();
    await editor.prompt(await editor.open(stage.workspace), "hi");
    await editor[Symbol.asyncDispose]();
    expect(await editor.wire.over).toEqual({ words: "exit code 0. ", stderr: "" });
  });

  test("answers an editor that introduces itself late, when stdout is the protocol's alone already", async () => {
    await using stage = new CommandStage();
    const command = stage.start(["acp"], { stdin: OPEN });
    await untilTrue(() => existsSync(join(stage.home, "state.db")));
    expect(await ask(command, HELLO.trim(), 0)).toMatchObject({ result: { protocolVersion: 1 } });
  });

  test.each([
    ["its input ends", (command: RunningCommand) => void command.child.stdin.end(), 0],
    ["it is terminated", (command: RunningCommand) => void command.child.kill("SIGTERM"), 143],
    ["its terminal is gone", (command: RunningCommand) => void command.child.kill("SIGHUP"), 143],
  ])(
    "SHUTDOWN: ends within two seconds when %s, with all that it started, and keeps the session",
    (_name, end, code) =>
      soonEnough(async () => {
        await using server = await startModelServer();
        await using stage = new CommandStage();
        stage.configure(
          `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: m\napprovals:\n  mode: "off"\n`,
        );
        const command = "trap '' TERM HUP; echo $$ > pid; sleep 300";
        server.script(reply([callTool("terminal", { command })]));
        const wire = commandWire(stage, stage.start(["acp"], { stdin: OPEN }));
        const editor = new AcpEditor(wire);
        await editor.initialize();
        const sessionId = await editor.open(stage.workspace);
        void editor.prompt(sessionId, "run").catch(() => undefined);
        const file = join(stage.workspace, "pid");
        await untilTrue(() => existsSync(file) && readFileSync(file, "utf8").trim() !== "");
        const began = performance.now();
        end(wire.command);
        expect(await wire.command.end).toMatchObject({ code, stderr: "" });
        const took = performance.now() - began;
        await untilTrue(() => !isAlive(Number(readFileSync(file, "utf8"))));
        const { stdout } = await stage.ask(["sessions", "show", sessionId]);
        expect(stdout).toContain("run");
        return took;
      }),
  );

  test("answers what was asked before its input ended", async () => {
    await using stage = new CommandStage();
    const command = await started(stage);
    const list = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"session/list"}`;
    await ask(command, list(1), 1);
    command.child.stdin.end(`${list(2)}\n${list(3)}`);
    const { code, stdout } = await command.end;
    const last = stdout.trimEnd().split("\n").slice(-2);
    expect(last.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([2, 3]);
    expect(code).toBe(0);
  });

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

const MCP = (server: string): string =>
  `{"jsonrpc":"2.0","id":9,"method":"session/new","params":{"cwd":"/","mcpServers":[${server}]}}`;

/** Lines that are refused, each with the id, code and words of its answer. */
const BAD: readonly (readonly [line: string, id: unknown, code: number, words: string])[] = [
  ["{", null, -32700, "no JSON"],
  ["[]", null, -32600, "batches"],
  ["5", null, -32600, "a JSON object"],
  ['{"id":5,"method":"session/list"}', 5, -32600, "jsonrpc"],
  ['{"jsonrpc":"2.0","id":{},"method":"session/list"}', null, -32600, "an id is"],
  ['{"jsonrpc":"2.0","id":5,"method":5}', 5, -32600, "a method is"],
  ['{"jsonrpc":"2.0"}', null, -32600, "neither"],
  ['{"jsonrpc":"2.0","id":5}', 5, -32600, "neither"],
  ['{"jsonrpc":"2.0","id":5,"method":"nope"}', 5, -32601, "Method not found: nope"],
  ['{"jsonrpc":"2.0","id":6,"method":"_x/y"}', 6, -32601, "_x/y"],
  ['{"jsonrpc":"2.0","id":7,"method":"session/new","params":{"cwd":5}}', 7, -32602, "cwd"],
  [MCP('{"name":"x","command":"/bin/cat","args":[]}'), 9, -32602, "mcpServers.0: it has none of the forms"],
  [DEEP, 8, -32602, "deep"],
];

/** Lines that mean nothing, and are no requests. */
const EMPTY: readonly string[] = [
  "",
  '{"jsonrpc":"2.0","id":77,"result":{}}',
  '{"jsonrpc":"2.0","id":77,"error":{"code":1,"message":"x"}}',
  '{"jsonrpc":"2.0","method":"session/cancel"}',
  '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":5}}',
  '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"nobody\'s"}}',
  '{"jsonrpc":"2.0","method":"$/cancel_request"}',
  '{"jsonrpc":"2.0","method":"nope","params":{}}',
];

describe("a bad line", () => {
  test("of who introduces itself in the words of another version names the first problem, in one line", async () => {
    await using stage = new CommandStage();
    const command = stage.start(["acp"], { stdin: OPEN });
    const second = HELLO.trim().replace('"protocolVersion":1', '"protocolVersion":2');
    const { error } = (await ask(command, second, 0)) as { error: { code: number; message: string } };
    expect(error).toEqual({ code: -32602, message: expect.stringMatching(/^Invalid params: info: .+$/) });
  });

  test("is answered in one line, or not at all, and nothing is said of it on stderr", async () => {
    await using stage = new CommandStage();
    const command = await started(stage);
    const greeted = command.lines.length;
    for (const line of [...BAD.map(([bad]) => bad), ...EMPTY]) command.child.stdin.write(`${line}\n`);
    const list = '{"jsonrpc":"2.0","id":"z","method":"session/list","params":{}}';
    expect(await ask(command, list, "z")).toMatchObject({ result: { sessions: [] } });
    command.child.stdin.end();
    expect(await command.end).toMatchObject({ code: 0, stderr: "" });
    const answers = command.lines.slice(greeted).map((line): unknown => JSON.parse(line));
    for (const [line, id, code, words] of BAD) {
      const message = expect.stringContaining(words);
      expect(answers, line).toContainEqual({
        jsonrpc: "2.0",
        id,
        error: expect.objectContaining({ code, message }),
      });
    }
    expect(answers).toHaveLength(BAD.length + 1);
  });

  test("of 40 MB is answered with an error, and costs little memory", async () => {
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
