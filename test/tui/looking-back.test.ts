import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

function repository(folder: string): void {
  const git = (...args: readonly string[]): void => {
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  };
  writeFileSync(join(folder, "old.txt"), "before\n");
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
}

describe("looking at what was done", () => {
  test("/diff shows what differs from the last commit, whoever changed it, and new files", async () => {
    await using stage = new CommandStage();
    repository(stage.workspace);
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("/diff");
    await terminal.shows("Nothing differs from the last commit.");
    writeFileSync(join(stage.workspace, "old.txt"), "after\n");
    writeFileSync(join(stage.workspace, "a new one.txt"), "fresh\n");
    terminal.send("/diff");
    await terminal.shows(/Changes since the last commit[\s\S]* M old\.txt[\s\S]*-before[\s\S]*\+after/);
    await terminal.shows(/a new one\.txt[\s\S]*\+fresh/);
    expect(terminal.text()).toContain("Esc closes");
  });

  test("/diff in a repository without a commit shows all files as new", async () => {
    await using stage = new CommandStage();
    execFileSync("git", ["init", "-q"], { cwd: stage.workspace });
    writeFileSync(join(stage.workspace, "first.txt"), "one\n");
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("/diff");
    await terminal.shows(/Changes since the last commit[\s\S]*\?\? first\.txt[\s\S]*\+one/);
    expect(terminal.text()).not.toContain("fatal");
  });

  test("/diff runs no program that the repository names", async () => {
    await using stage = new CommandStage();
    repository(stage.workspace);
    const mark = join(stage.workspace, "ran");
    for (const key of ["diff.external", "core.pager", "core.fsmonitor"])
      execFileSync("git", ["config", key, `touch ${mark}`], { cwd: stage.workspace });
    writeFileSync(join(stage.workspace, "old.txt"), "after\n");
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("/diff");
    await terminal.shows(/-before[\s\S]*\+after/);
    expect(terminal.text()).not.toContain("ran");
  });

  test("/copy copies the last answer of a conversation that goes on", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("The words to copy."));
    stage.configure(config(server.baseUrl));
    await stage.run(["run", "hi"]);
    await using terminal = new TestTerminal(stage, ["-c"]);
    await terminal.shows("The words to copy.");
    terminal.send("/copy");
    await terminal.shows("The answer was copied.");
    expect(terminal.raw).toContain(`]52;c;${Buffer.from("The words to copy.").toString("base64")}`);
    terminal.send("/copy 2");
    await terminal.shows("The last answer has no block of code 2.");
  });

  test("what is taken back is said once, and a new session says how to go back", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("One."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("first thing");
    await terminal.shows(/One\.[\s\S]*tokens[\s\S]*Ask anything/);
    terminal.send("/compact");
    await terminal.shows(/nothing older than the newest exchange[\s\S]*Ask anything/);
    expect(terminal.text().match(/nothing older than/g)).toHaveLength(1);
    terminal.send("/undo");
    await terminal.shows(/Took back 1 turn\.[\s\S]*› first thing/);
    terminal.type(KEYS.ctrl("u"));
    terminal.send("/new");
    await terminal.shows(/A new session\. \/resume goes back to "first thing"\./);
    const said = terminal.allRows().join("\n");
    expect(said.match(/Took back|taken back/g)).toHaveLength(1);
  });

  test("a new session goes on in the mode of the one before, but does not run everything unasked", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage, ["--mode", "plan"]);
    await terminal.shows("· plan ·");
    terminal.send("/new");
    await terminal.shows(/A new session\.[\s\S]*· plan ·/);
    terminal.type("\u001b[Z");
    await terminal.shows("· all allowed ·");
    terminal.send("/new");
    await terminal.shows("· edits allowed ·");
    expect(terminal.text()).not.toContain("all allowed");
  });

  test("a word that answers questions is no prompt while one is open; Ctrl+S sends it", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    const held = gate();
    server.script(
      reply([callTool("terminal", { command: "mkdir made" })]),
      reply([say("Going on."), waitAt(held)]),
    );
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Alt+A answers");
    for (const word of ["y", "1", "Yes!"]) {
      terminal.send(word);
      await terminal.shows(/Alt\+A goes into the question; Ctrl\+S sends/);
      expect(terminal.text()).not.toContain("steering");
      terminal.type(KEYS.ctrl("u"));
      await terminal.shows("Write on:");
    }
    terminal.send("y then");
    await terminal.shows("steering y then");
    terminal.type(`ok${KEYS.ctrl("s")}`);
    await terminal.shows(/steering ok/);
    await terminal.answer(1);
    await terminal.shows("Going on.");
    held.open();
  });
});
