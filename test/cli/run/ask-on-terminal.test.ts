import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { LineTerminal } from "../../kit/line-terminal.ts";

describe("agent run on a terminal", () => {
  test("takes only an answer that names its question, also from what was typed ahead", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    using terminal = new LineTerminal(stage, ["run", "run `rm old.txt`"]);
    terminal.type("1\ry\ryes please\r");
    await terminal.shows(/Question 1: allow this\?\s+rm old\.txt/);
    await terminal.shows(/answers nothing[\s\S]*answers nothing[\s\S]*answers nothing/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(true);
    terminal.type("/deny 1 keep it\r");
    await terminal.shows(/They said: keep it/);
    expect(await terminal.exit).toBe(0);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(true);
  });

  test("runs what was allowed", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    using terminal = new LineTerminal(stage, ["run", "run `rm old.txt`"]);
    await terminal.shows(/\/allow 1 +Allow once/);
    terminal.type("/allow 1\r");
    expect(await terminal.exit).toBe(0);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(false);
  });
});

test("what is said on a narrow terminal is broken between words, and stays in one line in a file", async () => {
  await using stage = new CommandStage();
  stage.env["AGENT_HOME"] = join(stage.folder, "a-new-home");
  using terminal = new LineTerminal(stage, ["setup"], 60);
  const said = await terminal.shows(/agent: [^]*sessions\.\r\n/);
  const lines = said.trim().split("\r\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines)
    expect(line.split(" ").length === 1 || line.length <= 60 || line.includes(stage.folder), line).toBe(true);
  expect(lines.join(" ")).toMatch(/is not there yet: this is a new one, without settings and sessions\.$/);
  stage.env["AGENT_HOME"] = join(stage.folder, "another-home");
  const { stderr } = await stage.ask(["--nothing"]);
  expect(stderr.split("\n")[0]).toMatch(/sessions\.$/);
});
