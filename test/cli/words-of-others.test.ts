import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { inOurWords } from "../../src/cli/words-of-others.ts";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, startModelServer } from "../kit/model-server/index.ts";
import { TestTerminal } from "../tui/terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

describe("words of other agents", () => {
  test.each([
    [
      ["exec", "hi"],
      ["run", "hi"],
    ],
    [
      ["exec", "resume", "--last", "go on"],
      ["run", "--continue", "go on"],
    ],
    [
      ["exec", "resume", "a1b2c3", "go on"],
      ["run", "--resume", "a1b2c3", "go on"],
    ],
    [
      ["exec", "resume", "--last", "-C", "../other", "--full-auto", "go on"],
      ["run", "--continue", "--cwd", "../other", "--mode", "edits", "go on"],
    ],
    [
      [
        "exec",
        "-s",
        "read-only",
        "--skip-git-repo-check",
        "--color=never",
        "-a",
        "never",
        "-m",
        "gpt-5",
        "-",
      ],
      ["run", "--mode", "plan", "-m", "gpt-5", "-"],
    ],
    [
      ["exec", "--json", "--output-schema", "a.json", "-o", "last.txt", "-s", "a1b2c3", "--", "--yolo"],
      ["run", "--json", "--schema", "a.json", "-o", "last.txt", "-s", "a1b2c3", "--", "--yolo"],
    ],
    [
      ["exec", "--sandbox=danger-full-access"],
      ["run", "--mode", "all"],
    ],
    [
      ["exec", "-C"],
      ["run", "-C"],
    ],
    [
      ["exec", "review"],
      ["run", "/review"],
    ],
    [["review"], ["run", "/review"]],
    [
      ["session", "list"],
      ["sessions", "list"],
    ],
    [
      ["export", "a1b2c3"],
      ["sessions", "export", "a1b2c3"],
    ],
    [["resume"], ["--resume"]],
    [
      ["resume", "a1b2c3"],
      ["--resume", "a1b2c3"],
    ],
    [["resume", "--last"], ["--continue"]],
    [["auth", "login"], ["setup"]],
    [["login"], ["setup"]],
    [
      ["-p", "what changed here?"],
      ["run", "what changed here?"],
    ],
    [["-p"], ["run"]],
    [
      ["-p", "--output-format", "json", "what changed?"],
      ["run", "--output", "json", "what changed?"],
    ],
    [
      ["--print", "hello"],
      ["run", "hello"],
    ],
    [
      ["-c", "-p", "and now?"],
      ["run", "-c", "and now?"],
    ],
    [
      ["what changed?", "-p"],
      ["run", "what changed?"],
    ],
    [
      ["run", "-p", "what changed?"],
      ["run", "what changed?"],
    ],
    [
      ["run", "--prompt", "hello"],
      ["run", "hello"],
    ],
    // It may be a profile.
    [
      ["run", "-p", "work", "hello"],
      ["run", "-p", "work", "hello"],
    ],
    [
      ["run", "--", "-p", "not an option"],
      ["run", "--", "-p", "not an option"],
    ],
    [
      ["sessions", "--print", "x"],
      ["sessions", "--print", "x"],
    ],
    [["toString"], ["toString"]],
    [
      ["run", "exec"],
      ["run", "exec"],
    ],
  ])("%j are %j", (theirs, ours) => {
    expect(inOurWords(theirs)).toEqual(ours);
  });

  test.each([
    [["run", "--full-auto", "hi"], "There is no option --full-auto. Here it is `--mode edits`."],
    [["--yolo"], "There is no option --yolo. Here it is `--mode all`"],
    [["run", "--output-format=json", "hi"], "Here it is `--output text|json|stream-json`"],
    [["run", "-p", "work", "hi"], "Here `agent -p <name> run …` chooses a profile"],
    [["-o", "last.txt", "hi there"], "There is no option -o. Here it is an option of `agent run`."],
    [["run", "--format", "json", "hi"], "Here it is `--output text|json|stream-json`"],
    [["run", "-f", "a.txt", "hi"], "Here `@path` in the prompt sends a file along"],
    [["exec", "--config", "fast", "hi"], "here it is `--set key=value`"],
    [["run", "--config", "a=b", "hi"], "Here it is `--set key=value`, with the keys of config.yaml"],
    [["run", " "], "agent: The prompt is empty."],
    [["attach", "http://localhost:4096"], "`agent --attach ws://localhost:4096/api/ws` opens a chat"],
    [["upgrade"], 'There is no command "upgrade". Here a checkout'],
    [["valueOf"], 'There is no command "valueOf". Commands: help, run'],
    [["run", "--constructor", "hi"], "unknown option '--constructor'"],
  ])("%j is refused with what it is here", async (args, words) => {
    await using stage = new CommandStage();
    const { code, stdout, stderr } = await stage.ask(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(words);
  });

  test("exec answers on stdout, and resume goes on with what was", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("One."));
    stage.configure(config(server.baseUrl));
    expect(await stage.ask(["exec", "hi"])).toMatchObject({ code: 0, stdout: "One.\n" });
    server.script(reply("Printed."));
    expect(await stage.ask(["-p", "print it"])).toMatchObject({ code: 0, stdout: "Printed.\n" });
    expect((await stage.ask(["-p", "hello"])).stderr).toContain("as a prompt it is `agent run hello`");
    for (const words of [["../x", "run", "hi"], ["", "sessions"], ["a/b", "config"], ["../x"]])
      expect(await stage.ask(["-p", ...words])).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(`"${words[0] ?? ""}" cannot be the name of a profile`) as string,
      });
    await using terminal = new TestTerminal(stage, ["resume", "--last"]);
    await terminal.shows(/› print it[\s\S]*Printed\.[\s\S]*Ask anything/);
  });
});

describe("a chat that begins with a prompt", () => {
  test("sends it, in the mode that is named, in the session that is gone on with", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("Looked."), reply("Looked again."));
    stage.configure(config(server.baseUrl));
    {
      await using terminal = new TestTerminal(stage, ["--mode", "plan", "look at it"]);
      await terminal.shows(/› look at it[\s\S]*Looked\.[\s\S]*plan ·[\s\S]*Ask anything/);
    }
    await using terminal = new TestTerminal(stage, ["look once more", "-c"]);
    await terminal.shows(/Looked\.[\s\S]*› look once more[\s\S]*Looked again\./);
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("look at it");
  });

  test("carries out a command of the chat", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, ["/title A good name"]);
    await terminal.shows(/· A good name/);
    expect(terminal.text()).not.toContain("› /title");
  });

  test("is refused where nobody can talk, and for a single word", async () => {
    await using stage = new CommandStage();
    const piped = await stage.ask(["fix the test"]);
    expect(piped).toMatchObject({ code: 2, stdout: "" });
    expect(piped.stderr).toContain("`agent run` takes a prompt, and what is piped in.");
    expect((await stage.ask(["sesions"])).stderr).toContain("Did you mean sessions?");
    expect((await stage.ask(["--plain", "sesions"])).stderr).toContain('There is no command "sesions"');
  });
});

test("-o keeps the last answer in a file beside what is printed, and is refused before the model is asked", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(reply("One."), reply('{"a":1}'));
  stage.configure(config(server.baseUrl));
  const file = join(stage.workspace, "last.txt");
  const events = await stage.ask(["exec", "--json", "-o", "last.txt", "--title", "A name", "hi"]);
  expect([events.code, readFileSync(file, "utf8")]).toEqual([0, "One.\n"]);
  expect(events.stdout.split("\n")[0]).toContain('"session.start"');
  expect((await stage.ask(["sessions", "list"])).stdout).toContain("A name");
  writeFileSync(join(stage.workspace, "schema.json"), '{"type":"object"}');
  await stage.ask(["exec", "--output-schema", "schema.json", "-o", file, "hi"]);
  expect(readFileSync(file, "utf8")).toBe('{"a":1}\n');
  const refused = await stage.ask(["run", "-o", "nowhere/last.txt", "hi"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toMatch(/--output-last-message \S+ cannot be written: /);
  expect(server.requests).toHaveLength(2);
});

test("agent run --mode all runs what would ask, and plan runs nothing that changes", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  stage.configure(config(server.baseUrl));
  const mark = join(stage.workspace, "old.txt");
  for (const [mode, left, code] of [
    ["plan", true, 3],
    ["all", false, 0],
  ] as const) {
    writeFileSync(mark, "x");
    server.script(reply([callTool("terminal", { command: "rm old.txt" })]), reply("Done."));
    expect((await stage.ask(["run", "--mode", mode, "go"])).code, mode).toBe(code);
    expect(existsSync(mark), mode).toBe(left);
  }
  expect((await stage.ask(["run", "--mode", "wild", "go"])).stderr).toContain(
    "Allowed choices are ask, edits",
  );
});
