import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { BIN, CommandStage, OPEN, type RunningCommand } from "../../kit/command.ts";
import { random, times } from "../../kit/counts.ts";
import { startGateway } from "../../kit/gateway-command.ts";
import { callTool, gate, reply, say, startModelServer, waitAt } from "../../kit/model-server/index.ts";

const config = (baseUrl: string): string => `model:
  provider: local
  base_url: ${baseUrl}
  default: test-model
`;

interface Line {
  readonly type: string;
  readonly seq: number;
  readonly session_id: string;
  readonly text?: string;
  readonly outcome?: string;
}
const parsed = (lines: readonly string[]): readonly Line[] =>
  lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);

describe("agent run", () => {
  test("prints the answer on stdout, nothing on stderr, and exits with 0", async () => {
    await using stage = new CommandStage();
    const end = await stage.run(["run", "--demo", "hi"]);
    expect(end).toMatchObject({ code: 0, stderr: "" });
    expect(end.stdout).toMatch(/^I am the built-in demo model/);
    expect(end.stdout.endsWith("\n")).toBe(true);
    expect(statSync(stage.home).mode & 0o777).toBe(0o700);
  });

  test("takes the prompt from stdin when there is no argument, or when it is -", async () => {
    await using stage = new CommandStage();
    const [bare, dash] = await Promise.all([
      stage.run(["run"], { stdin: "count to 3\n" }),
      stage.run(["run", "-"], { stdin: "count to 3\n" }),
    ]);
    expect(bare.stdout).toContain("3");
    expect(dash.stdout).toBe(bare.stdout);
  });

  test("takes several words as one prompt, a command among them; options stay options", async () => {
    await using stage = new CommandStage();
    const words = await stage.ask(["run", "--demo", "explain", "--json", "this", "folder"]);
    expect(words).toMatchObject({ code: 0, stderr: "" });
    expect(words.stdout).toContain(JSON.stringify([{ type: "text", text: "explain this folder" }]));
    const dash = await stage.ask(["run", "--demo", "--json", "a", "-", "b", "-"], { stdin: "an error\n" });
    expect(dash.stdout).toContain(JSON.stringify("a - b\n\nan error"));
    const behind = await stage.ask(["run", "--demo", "--json", "--", "what", "is", "--colour"]);
    expect(behind.stdout).toContain(JSON.stringify("what is --colour"));
    const unknown = await stage.ask(["run", "what", "is", "--colour"]);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option '--colour'") });
    expect(await stage.ask(["run", "-c", "/title", "My", "own", "work"])).toMatchObject({ code: 0 });
    expect((await stage.ask(["sessions", "list"])).stdout).toContain("My own work");
  });

  test("adds stdin to the prompt when a - stands after it", async () => {
    await using stage = new CommandStage();
    const end = await stage.ask(["run", "--json", "Explain this", "-"], { stdin: "an error\n" });
    expect(end.stdout).toContain(JSON.stringify("Explain this\n\nan error"));
  });

  test("does not wait for stdin when the prompt is an argument", async () => {
    await using stage = new CommandStage();
    const command = stage.start(["run", "hi"], { stdin: OPEN });
    expect(await command.end).toMatchObject({ code: 0 });
  });

  test("says what is missing when there is no prompt, and exits with 2", async () => {
    await using stage = new CommandStage();
    const end = await stage.ask(["run"]);
    expect(end).toMatchObject({ code: 2, stdout: "" });
    expect(end.stderr).toBe("agent: There is no prompt: stdin was empty.\n");
  });

  test("--json prints every event as a line, with rising seq, and export prints the same afterwards", async () => {
    await using stage = new CommandStage();
    const end = await stage.ask(["run", "--json", "think"]);
    const events = parsed(end.stdout.split("\n"));
    expect(events[0]).toMatchObject({ type: "session.start", seq: 1 });
    expect(events.at(-1)).toMatchObject({ type: "turn.end", outcome: "completed" });
    const seqs = events.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    const id = events[0]?.session_id ?? "";
    const exported = parsed((await stage.ask(["sessions", "export", id])).stdout.split("\n"));
    const durable = (list: readonly Line[]): readonly Line[] =>
      list.filter(({ type }) => !type.endsWith(".delta"));
    expect(durable(exported).slice(0, -1)).toEqual(durable(events));
    const text = (list: readonly Line[]): string =>
      list
        .filter(({ type }) => type === "message.delta")
        .map((line) => line.text)
        .join("");
    expect(text(exported)).toBe(text(events));
  });

  test("--session goes on with a session, by id or by title, and knows it when there is none", async () => {
    await using stage = new CommandStage();
    const first = parsed((await stage.ask(["run", "--json", "my first words"])).stdout.split("\n"));
    const id = first[0]?.session_id ?? "";
    const second = parsed((await stage.ask(["run", "--json", "--session", id, "again"])).stdout.split("\n"));
    expect(second[0]).toMatchObject({ type: "turn.start", session_id: id });
    expect(second[0]?.seq).toBeGreaterThan(first.at(-1)?.seq ?? 0);
    expect((await stage.ask(["run", "--session", "my first words", "third"])).code).toBe(0);
    const missing = await stage.ask(["run", "--session", "nope", "x"]);
    expect(missing).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "agent: Session not found: nope. `agent sessions list --all` shows them.\n",
    });
  });

  test("runs a command as every client does, in the session that is named; what is piped in is a prompt", async () => {
    await using stage = new CommandStage();
    expect((await stage.ask(["run", "/help"])).stdout).toMatch(/^Commands:\n[\s\S]* \/compress /);
    expect(await stage.ask(["run", "/hepl"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "agent: Unknown command: /hepl. Did you mean /help?\n",
    });
    expect((await stage.ask(["run", "/title x"])).stderr).toMatch(/needs a session: .*--session/);
    await stage.ask(["run", "--demo", "hi"]);
    const [record] = JSON.parse((await stage.ask(["sessions", "--json"])).stdout) as { id: string }[];
    const titled = await stage.ask(["run", "--json", "-s", record?.id ?? "", "/title My work"]);
    expect(JSON.parse(titled.stdout)).toMatchObject({
      type: "command",
      output: expect.stringContaining("My work"),
    });
    const retried = await stage.ask(["run", "-s", "My work", "/retry"]);
    expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining("demo model") });
    for (const [args, stdin] of [
      [["run", "/etc/hosts is gone"], ""],
      [["run", "/* a comment */"], ""],
      [["run"], "/help\n"],
    ] as const)
      expect((await stage.ask(args, { stdin })).stdout).toContain("demo model");
  });

  test("refuses at once what needs an approval, where there is no terminal", async () => {
    await using stage = new CommandStage();
    const end = await stage.ask(["run", "run `rm -r important`"]);
    expect(end.code).toBe(3);
    expect(end.stdout).toContain("there is no terminal");
  });

  test("fails with one line and exit code 1 when the model cannot answer", async () => {
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script({ status: 401, body: '{"error":{"message":"no such key"}}' });
    const wrongKey = await stage.ask(["run", "hi"]);
    expect(wrongKey).toMatchObject({ code: 1, stdout: "" });
    expect(wrongKey.stderr.trimEnd().split("\n")).toHaveLength(1);
    stage.configure(config("http://127.0.0.1:1/v1"));
    const gone = await stage.ask(["run", "hi"]);
    expect(gone).toMatchObject({ code: 1, stdout: "" });
    expect(gone.stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(gone.stderr).toContain("127.0.0.1:1");
  });

  test("Ctrl+C interrupts the turn, keeps what was said, and exits with 130", async () => {
    const hold = gate();
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([say("half a sentence"), waitAt(hold)]));
    const command = stage.start(["run", "--json", "hi"]);
    await command.line((line) => line.includes('"message.delta"'));
    command.child.kill("SIGINT");
    const end = await command.end;
    expect(end.code).toBe(130);
    expect(parsed(end.stdout.split("\n")).at(-1)).toMatchObject({ type: "turn.end", outcome: "cancelled" });
    hold.open();
  });

  test("waits for its turn in a session that another process drives, and runs it when that one has gone", async () => {
    const hold = gate();
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(config(server.baseUrl));
    server.script(reply([say("one"), waitAt(hold)]), reply("two"), reply("three"));
    const first = stage.begin(["run", "--json", "1"]);
    const id = (JSON.parse(await first.line((line) => line.includes('"message.delta"'))) as Line).session_id;
    const second = stage.begin(["run", "--json", "--session", id, "2"]);
    await second.line((line) => line.includes('"prompt.queued"'));
    const third = stage.begin(["run", "--json", "--session", id, "3"]);
    await third.line((line) => line.includes('"text":"3"'));
    hold.open();
    for (const { end } of [first, second, third]) expect(await end).toMatchObject({ code: 0, stderr: "" });
    const answers = parsed((await stage.ask(["sessions", "export", id])).stdout.split("\n"));
    const texts = answers.filter(({ type }) => type === "message.complete").map(({ text }) => text);
    expect(texts).toEqual(["one", "two", "three"]);
  });

  test("a reader that leaves stops the turn, without a word and with the code of SIGPIPE", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    stage.configure(config(server.baseUrl));
    for (const form of [["--json"], []]) {
      const [held, never] = [gate(), gate()];
      server.script(reply([say("One line.\nAnd on"), waitAt(held), say(" and on."), waitAt(never)]));
      const command = stage.start(["run", ...form, "go"]);
      await command.line((line) => line.includes("One line."));
      command.child.stdout.destroy();
      held.open();
      expect(await command.end).toMatchObject({ code: 141, stderr: "" });
    }
    const sessions = JSON.parse((await stage.ask(["sessions", "list", "--json"])).stdout) as unknown[];
    expect(sessions).toMatchObject([{ status: "idle" }, { status: "idle" }]);
  });

  test("a pipeline whose last program has enough ends quietly, as with other programs", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    stage.configure(config(server.baseUrl));
    // More than a pipe holds: it cannot all be written before the reader is gone.
    server.script(reply([say("One line.\n"), say("x".repeat(2 ** 20)), waitAt(gate())]));
    const line = 'set -o pipefail; "$0" "$1" run go | head -n 1';
    const child = spawn("bash", ["-c", line, process.execPath, BIN], {
      cwd: stage.workspace,
      env: { PATH: process.env["PATH"], HOME: stage.folder, AGENT_HOME: stage.home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "close"),
    ]);
    expect({ code, stdout, stderr }).toEqual({ code: 141, stdout: "One line.\n", stderr: "" });
  });

  test.runIf(existsSync("/dev/full"))("output that is lost is a failure with one line", async () => {
    await using stage = new CommandStage();
    const { stderr, status } = bySh(stage, 'exec "$0" "$1" run --demo hi > /dev/full');
    expect({ stderr, status }).toEqual({
      status: 1,
      stderr: "agent: Not all output could be written: no space is left.\n",
    });
  });

  test("a folder that is gone is told in one line", async () => {
    await using stage = new CommandStage();
    const { stderr, status } = bySh(stage, 'rmdir "$PWD"; exec "$0" "$1" run hi');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^agent: The current folder is gone: [^\n]+\n$/);
  });

  test("works when called by an older Node too", async ({ skip }) => {
    const node = olderNode();
    if (node === undefined) return skip("There is no other Node here.");
    await using stage = new CommandStage();
    const end = await stage.run(["run", "--demo", "hi"], { node });
    expect(end).toMatchObject({ code: 0, stderr: "" });
  });

  test("is killed with the older Node that has called it", async ({ skip }) => {
    const node = olderNode();
    if (node === undefined) return skip("There is no other Node here.");
    await using stage = new CommandStage();
    const { command: gateway } = await startGateway(stage, [], { node });
    gateway.child.kill("SIGKILL");
    // Its output ends when the last one that could write there is gone.
    expect((await gateway.end).signal).toBe("SIGKILL");
  });

  test("no key appears in output, log or database, also when the endpoint repeats it", async () => {
    const key = "sk-canary-value-0123456789";
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(`${config(server.baseUrl)}  key_env: MY_MODEL_KEY\n`);
    stage.write(".env", `MY_MODEL_KEY=${key}\n`);
    server.script(reply(`you sent ${key}`), { status: 401, body: `{"error":{"message":"bad key ${key}"}}` });
    const ends = [await stage.ask(["run", "--json", `is ${key} right?`]), await stage.ask(["run", "hi"])];
    expect(server.requests[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
    const files = ["state.db", "state.db-wal", "logs/agent.log"].map((name) => {
      const file = join(stage.home, name);
      return statSync(file, { throwIfNoEntry: false }) === undefined ? "" : readFileSync(file, "latin1");
    });
    expect(JSON.stringify([ends, files])).not.toContain(key);
    expect(ends[0]?.stdout).toContain("[redacted]");
  });

  test("nor does one that stands in config.yaml itself", async () => {
    const key = "sk-canary-value-9876543210";
    await using server = await startModelServer();
    await using stage = new CommandStage();
    stage.configure(`${config(server.baseUrl)}  api_key: ${key}\n`);
    server.script(reply(`you sent ${key}`));
    const end = await stage.ask(["run", "--json", "hi"]);
    expect(server.requests[0]?.headers["authorization"]).toBe(`Bearer ${key}`);
    expect(end.stdout).toContain("[redacted]");
    expect(end.stdout + readFileSync(join(stage.home, "state.db"), "latin1")).not.toContain(key);
  });
});

/** The system's own Node, beside the one that the project has brought. */
const olderNode = (): string | undefined =>
  (process.env["PATH"] ?? "")
    .split(":")
    .filter((folder) => !folder.includes("node_modules"))
    .map((folder) => join(folder, "node"))
    .find((file) => statSync(file, { throwIfNoEntry: false }) !== undefined);

/** Runs the command as a script says: `$0` is Node, `$1` the command's file. */
function bySh({ workspace, home, folder }: CommandStage, script: string) {
  return spawnSync("/bin/sh", ["-c", script, process.execPath, BIN], {
    cwd: workspace,
    env: { PATH: process.env["PATH"], HOME: folder, AGENT_HOME: home },
    encoding: "utf8",
  });
}

describe("kill -9", () => {
  /** Rounds run side by side, each lane on a home of its own: most of a round is waiting for processes. */
  const LANES = 4;

  test("loses nothing that was printed: same events, same seq", { timeout: 900_000 }, async () => {
    const dice = random(9);
    let compared = 0;
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        await using server = await startModelServer();
        await using stage = new CommandStage();
        stage.configure(`${config(server.baseUrl)}approvals:\n  mode: "off"\n`);
        for (let round = 0; round < times(200) / LANES; round += 1) {
          server.script(
            reply([say("I look. "), callTool("list_files", {})]),
            reply([say(...Array.from({ length: 60 }, (_, index) => `word${index} `))]),
          );
          if (await killAndCompare(stage, 1 + Math.floor(dice() * 12))) compared += 1;
        }
      }),
    );
    expect(compared).toBeGreaterThan(0);
  });

  /** `false` when nothing was printed before the end. */
  async function killAndCompare(stage: CommandStage, afterLines: number): Promise<boolean> {
    const command = stage.start(["run", "--json", "go"]);
    await Promise.race([command.end, untilLines(command, afterLines)]);
    command.child.kill("SIGKILL");
    await command.end;
    const printed = parsed(command.lines.filter((line) => line.endsWith("}")));
    const id = printed[0]?.session_id;
    if (id === undefined) return false;
    const kept = parsed((await stage.ask(["sessions", "export", id])).stdout.split("\n"));
    const bySeq = new Map(kept.map((line) => [`${line.type} ${line.seq}`, line]));
    for (const line of printed.filter(({ type }) => !type.endsWith(".delta"))) {
      expect(bySeq.get(`${line.type} ${line.seq}`)).toEqual(line);
    }
    expect(said(kept).startsWith(said(printed))).toBe(true);
    expect(kept.filter(({ type }) => type === "turn.end")).toHaveLength(1);
    return true;
  }

  const said = (list: readonly Line[]): string =>
    list
      .filter(({ type }) => type === "message.delta")
      .map((line) => line.text)
      .join("");

  async function untilLines({ child, lines }: RunningCommand, count: number): Promise<void> {
    while (lines.length < count) await once(child.stdout, "data");
  }
});
