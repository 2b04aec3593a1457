import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";
import { untilRecord } from "../../kit/home-records.ts";
import { LineTerminal } from "../../kit/line-terminal.ts";
import { gate, reply, say, startModelServer, waitAt } from "../../kit/model-server/index.ts";
import { rpcCommand } from "../../kit/rpc-command.ts";
import { KEYS, TestTerminal } from "../../tui/terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

interface Listed {
  readonly id: string;
  readonly pid: number;
  readonly detached: boolean;
  readonly sessions: readonly {
    readonly id: string;
    readonly status: string;
    readonly question: string | null;
    readonly queued: number;
  }[];
}

async function listed(stage: CommandStage): Promise<readonly Listed[]> {
  return JSON.parse((await stage.ask(["ps", "--json"])).stdout) as Listed[];
}

/** The one process that goes on without its window. */
async function alone(stage: CommandStage): Promise<Listed> {
  await untilRecord(stage, "detached", /./);
  const found = (await listed(stage)).find(({ detached }) => detached);
  if (found === undefined) throw new Error("No process goes on.");
  return found;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isRunning(pid)).toBe(false);
}

async function conversation(stage: CommandStage, id: string): Promise<string> {
  return (await stage.ask(["sessions", "show", id])).stdout;
}

/** An approval that a process without a window asks for, and the file that is deleted once it is allowed. */
async function askingAlone(
  stage: CommandStage,
): Promise<{ readonly process: Listed; readonly file: string }> {
  const file = join(stage.workspace, "old.txt");
  writeFileSync(file, "x");
  const terminal = new TestTerminal(stage, [], { own: true });
  await terminal.shows(/demo model answers/);
  terminal.send("run `rm old.txt`");
  await terminal.shows(/Allow this\?/);
  terminal.hangUp();
  return { process: await alone(stage), file };
}

describe("a turn whose window was closed", () => {
  test("goes on with what is queued behind it, is listed, and its process ends when all is done", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held), say("the answer.")]), reply("The second one."));
    stage.configure(config(server.baseUrl));
    const terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Half of");
    terminal.type("and then\t");
    await terminal.shows("queued 1 and then");
    terminal.hangUp();
    const { pid, sessions } = await alone(stage);
    expect(pid).toBe(terminal.pid);
    expect(sessions).toMatchObject([{ status: "working", queued: 1 }]);
    expect((await stage.ask(["ps"])).stdout).toMatch(
      new RegExp(`${pid} +no +\\S+ +working: model \\+1 .* go\n`),
    );
    held.open();
    await untilGone(pid);
    const said = await conversation(stage, sessions[0]?.id ?? "");
    expect(said).toContain("Half of the answer.");
    expect(said).toContain("The second one.");
    expect(await listed(stage)).toEqual([]);
  });

  test("is answered from agent attach", async () => {
    await using stage = new CommandStage();
    const { process, file } = await askingAlone(stage);
    expect(process.sessions).toMatchObject([{ status: "waiting", question: "rm old.txt" }]);
    using terminal = new LineTerminal(stage, ["attach", process.id, "--plain"]);
    await terminal.shows(/allow this\?[\s\S]*\/allow 1/);
    expect(existsSync(file)).toBe(true);
    terminal.type("/allow 1\r");
    await terminal.shows(/gave[\s\S]*> /);
    expect(existsSync(file)).toBe(false);
    terminal.type("/quit\r");
    expect(await terminal.exit).toBe(0);
    await untilGone(process.pid);
  });

  test("is answered from the gateway", async () => {
    await using stage = new CommandStage();
    const { process, file } = await askingAlone(stage);
    const ask = rpcCommand(stage);
    const session_id = process.sessions[0]?.id ?? "";
    expect(await ask("session.resume", { session_id })).toHaveProperty("result");
    expect(await ask("approval.respond", { session_id, choice: "once" })).toHaveProperty("result");
    await untilGone(process.pid);
    expect(existsSync(file)).toBe(false);
  });

  test("is answered over HTTP", async () => {
    await using stage = new CommandStage();
    const { process, file } = await askingAlone(stage);
    const { url } = await startGateway(stage);
    const at = `${url}/api/sessions/${process.sessions[0]?.id ?? ""}`;
    const headers = { authorization: `Bearer ${GATEWAY_KEY}` };
    const open = await (await fetch(`${at}/questions`, { headers })).json();
    expect(open).toMatchObject({ data: [{ type: "approval", command: "rm old.txt" }] });
    const wrong = { method: "POST", headers, body: JSON.stringify({ text: "yes" }) };
    expect((await fetch(`${at}/answer`, wrong)).status).toBe(400);
    const right = { method: "POST", headers, body: JSON.stringify({ choice: "deny" }) };
    expect((await fetch(`${at}/answer`, right)).status).toBe(200);
    await untilGone(process.pid);
    expect(existsSync(file)).toBe(true);
    expect((await fetch(`${at}/answer`, right)).status).toBe(409);
  });

  test("keeps its tools, which agent stop ends with it; nothing is left behind", async () => {
    await using stage = new CommandStage();
    stage.configure(`approvals:\n  mode: "off"\n`);
    const pidFile = join(stage.workspace, "tool.pid");
    const terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows(/demo model answers/);
    terminal.send("run `echo $$ > tool.pid.new && mv tool.pid.new tool.pid && sleep 600`");
    await expect.poll(() => existsSync(pidFile)).toBe(true);
    const tool = Number(readFileSync(pidFile, "utf8"));
    terminal.hangUp();
    const { id, pid, sessions } = await alone(stage);
    expect(isRunning(tool)).toBe(true);
    expect(await stage.ask(["stop", "nothing"])).toMatchObject({ code: 1 });
    // From another folder it is named, and goes on.
    const elsewhere = await stage.ask(["stop"], { cwd: stage.folder });
    expect(elsewhere.code).toBe(2);
    expect(elsewhere.stderr).toContain(`Nothing runs in this folder; elsewhere: ${id} ("run`);
    expect(isRunning(tool)).toBe(true);
    // The only one of this folder needs no name.
    const stopped = await stage.ask(["stop"]);
    expect(stopped).toMatchObject({ code: 0, stderr: "" });
    expect(stopped.stdout).toContain(`Stopped ${id}: "run`);
    await untilGone(pid);
    await untilGone(tool);
    expect(await listed(stage)).toEqual([]);
    expect((await stage.ask(["stop"])).stdout).toBe("No turn runs.\n");
    expect(await conversation(stage, sessions[0]?.id ?? "")).toContain("(stopped: You stopped it.)");
  });

  test("goes on too when it was begun with agent run, and its question is answered elsewhere", async () => {
    await using stage = new CommandStage();
    const file = join(stage.workspace, "old.txt");
    writeFileSync(file, "x");
    const terminal = new TestTerminal(stage, ["run", "run `rm old.txt`"], { own: true });
    await terminal.shows(/allow this\?/i);
    terminal.hangUp();
    const { id, pid, sessions } = await alone(stage);
    expect(sessions).toMatchObject([{ status: "waiting", question: "rm old.txt" }]);
    using attached = new LineTerminal(stage, ["attach", id.slice(0, 4), "--plain"]);
    await attached.shows(/allow this\?[\s\S]*\/allow 1/);
    attached.type("/allow 1\r");
    await untilGone(pid);
    expect(existsSync(file)).toBe(false);
  });

  test("ends when its time is over, which its session says", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held)]));
    // A hundredth of a second.
    stage.configure(`${config(server.baseUrl)}detached:\n  max_hours: 0.000003\n`);
    const terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Half of");
    terminal.hangUp();
    await untilGone(terminal.pid);
    const list = (await stage.ask(["sessions"])).stdout;
    expect(list).toMatch(/interrupted {2}go {2}\(Its time without a terminal was over/);
    held.open();
  });
});

describe("Ctrl+D while a turn runs", () => {
  test("lets it go on when that is chosen: half the answer stays on the screen, and the shell has its terminal back", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held), say("the answer.")]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage, [], { bySh: true });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Half of");
    terminal.type(KEYS.ctrl("d"));
    await terminal.shows(/A turn runs here\.[\s\S]*❯ +Leave, and let it go on/);
    terminal.type(KEYS.enter);
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toMatch(
      /Half of[\s\S]*The turn goes on without this window: agent attach (\S+) [\s\S]*Go on with: agent --resume \S+/,
    );
    const { id, pid, sessions } = await alone(stage);
    expect(terminal.text()).toContain(`agent stop ${id} ends it.`);
    held.open();
    await untilGone(pid);
    expect(await conversation(stage, sessions[0]?.id ?? "")).toContain("Half of the answer.");
  });

  test("stays, or stops it and leaves", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held)]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Half of");
    terminal.type(KEYS.ctrl("d"));
    await terminal.shows("A turn runs here.");
    terminal.type(KEYS.escape);
    await terminal.until(() => !terminal.text().includes("A turn runs here."), "the end of the dialog");
    terminal.type(KEYS.ctrl("d"));
    await terminal.shows("A turn runs here.");
    terminal.type(KEYS.down + KEYS.enter);
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toMatch(/Half of[\s\S]*Go on with: agent --resume \S+/);
    expect(terminal.text()).not.toMatch(/without this window|another window/);
    expect(await listed(stage)).toEqual([]);
    await using again = new TestTerminal(stage, ["-c"]);
    await again.shows(/Half of\s+interrupted · You stopped it\.[\s\S]*Ask anything/);
    held.open();
  });

  test("asks in lines in a plain chat", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held), say("the answer.")]));
    stage.configure(config(server.baseUrl));
    using terminal = new LineTerminal(stage, ["--plain"]);
    await terminal.shows(/> /);
    terminal.type("go\r");
    await held.reached;
    terminal.type("\u0004");
    await terminal.shows(/1 leaves and lets it go on, 2 stops it and leaves, Enter stays[\s\S]*\? /);
    terminal.type("\r");
    terminal.type("\u0004");
    await terminal.shows(/Enter stays[\s\S]*\? /);
    terminal.type("1\r");
    await terminal.shows(/goes on without this window: agent attach (\S+) /);
    const { pid, sessions } = await alone(stage);
    held.open();
    await untilGone(pid);
    expect(await conversation(stage, sessions[0]?.id ?? "")).toContain("Half of the answer.");
  });

  test("says of no turn that it goes on when a plain chat has stopped it", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held)]));
    stage.configure(config(server.baseUrl));
    using terminal = new LineTerminal(stage, ["--plain"]);
    await terminal.shows(/> /);
    terminal.type("go\r");
    await held.reached;
    terminal.type("\u0004");
    await terminal.shows(/Enter stays[\s\S]*\? /);
    terminal.type("2\r");
    await terminal.shows(/Go on with: agent --resume \S+/);
    expect(terminal.written).not.toContain("goes on where it runs");
    expect(await listed(stage)).toEqual([]);
    held.open();
  });
});

describe("after kill -9", () => {
  test("agent -c shows the half answer, says why it is half, and goes on with /continue", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held)]), reply("The other half."));
    stage.configure(config(server.baseUrl));
    await using first = new TestTerminal(stage, [], { own: true });
    await first.shows("test-model");
    first.send("go");
    await first.shows("Half of");
    first.kill("SIGKILL");
    await first.exit;
    await using second = new TestTerminal(stage, ["-c"]);
    await second.shows(
      /Half of\s+interrupted · The process that ran it was killed or crashed\.[\s\S]*\/continue goes on/,
    );
    second.send("/continue");
    await second.shows("The other half.");
    held.open();
    const exported = await stage.ask(["sessions", "export", "go"]);
    expect(exported.stdout).toMatch(/"outcome":"interrupted".*"reason":"The process that ran it was killed/);
  });

  test("another window that follows the turn says so by itself", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half of "), waitAt(held)]));
    stage.configure(config(server.baseUrl));
    await using first = new TestTerminal(stage, [], { own: true });
    await first.shows("test-model");
    first.send("go");
    await first.shows("Half of");
    await using second = new TestTerminal(stage, ["-c"]);
    await second.shows("Half of");
    first.kill("SIGKILL");
    await second.shows(/interrupted · The process that ran it was killed or crashed\./);
    expect((await stage.ask(["sessions"])).stdout).toContain("interrupted");
    held.open();
  });
});
