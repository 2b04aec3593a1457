import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

/** The client, once it can be used. */
async function ready(stage: CommandStage): Promise<TestTerminal> {
  const terminal = new TestTerminal(stage);
  await terminal.shows(/demo model answers/);
  return terminal;
}

describe("the sessions", () => {
  test("are searched, opened with what was said last, renamed, and deleted when that is said twice", async () => {
    await using stage = new CommandStage();
    await stage.run(["run", "count to 3"]);
    await stage.run(["run", "hello there"]);
    await using terminal = await ready(stage);
    terminal.type(KEYS.ctrl("x") + KEYS.ctrl("x"));
    await terminal.shows(/Sessions[\s\S]*hello there[\s\S]*count to 3/);
    terminal.type("cnt 3");
    await terminal.until(() => !/^(?!·).*hello there/m.test(terminal.text()), "the narrowed list");
    terminal.type(KEYS.enter);
    await terminal.shows(/› count to 3[\s\S]*1[\s\S]*3/);
    terminal.type(KEYS.ctrl("x") + KEYS.ctrl("x"));
    await terminal.shows(/● count to 3/);
    terminal.type("hello");
    await terminal.shows(/❯ {3}hello there/);
    terminal.type(KEYS.ctrl("r"));
    await terminal.shows("New title: hello there");
    terminal.type(KEYS.ctrl("u"));
    terminal.send("hello again");
    await terminal.shows(/❯ {3}hello again/);
    terminal.type(KEYS.ctrl("d"));
    await terminal.shows('Delete "hello again" for good?');
    terminal.type("n");
    await terminal.shows("Ctrl+D deletes");
    terminal.type(KEYS.ctrl("d"));
    await terminal.shows('Delete "hello again" for good?');
    terminal.type("y");
    await terminal.shows("Nothing matches.");
    expect((await stage.ask(["sessions"])).stdout).not.toContain("hello again");
  });
});

describe("the model picker", () => {
  test("shows the models and closes without a change", async () => {
    await using stage = new CommandStage();
    await using terminal = await ready(stage);
    terminal.type(KEYS.ctrl("t"));
    await terminal.shows(/Models[\s\S]*● demo/);
    terminal.type(KEYS.escape);
    await terminal.until(() => !terminal.text().includes("Models"), "the composer");
    expect(terminal.text()).toContain("Ask anything");
  });
});

describe("the composer", () => {
  test("completes commands and files", async () => {
    await using stage = new CommandStage();
    mkdirSync(join(stage.workspace, "source"));
    writeFileSync(join(stage.workspace, "source", "main.ts"), "");
    await using terminal = await ready(stage);
    terminal.type("/titl");
    await terminal.shows(/❯ \/title/);
    terminal.type(KEYS.tab);
    await terminal.shows("› /title");
    terminal.type(KEYS.ctrl("u"));
    terminal.type("look at @sou");
    await terminal.shows(/❯ .*source/);
    terminal.type(KEYS.tab);
    await terminal.shows(/› look at @\S*source/);
    expect(terminal.rows()[terminal.cursor.y]).toContain("look at @");
  });

  test("finds what was sent before, also in another life of the client", async () => {
    await using stage = new CommandStage();
    await using first = await ready(stage);
    first.send("count to 3");
    await first.shows(/tokens[\s\S]*Ask anything/);
    first.send("/quit");
    await first.exit;
    await using second = await ready(stage);
    second.type(KEYS.ctrl("r"));
    await second.shows(/search:\s+\/quit\s+Ctrl\+R older/);
    second.type("nowhere");
    await second.shows(/search: nowhere\s+nothing found/);
    second.type(KEYS.escape);
    await second.shows("Ask anything");
    second.type(KEYS.ctrl("r"));
    await second.shows(/search:\s+\/quit/);
    second.type("coun");
    await second.shows(/search: coun\s+count to 3/);
    second.type(KEYS.enter);
    await second.shows("› count to 3");
    second.type(KEYS.ctrl("u"));
    await second.shows("Ask anything");
    // The newest is what ended the other life.
    second.type(KEYS.up);
    await second.shows("› /quit");
    second.type(KEYS.up);
    await second.shows("› count to 3");
    expect(second.cursor.x).toBe("› count to 3".length);
  });

  test("runs a command of the shell, and writes over several lines", async () => {
    await using stage = new CommandStage();
    await using terminal = await ready(stage);
    terminal.send("!echo one; echo two");
    await terminal.shows(/! echo one; echo two\s+│ one\s+│ two/);
    terminal.send("!printf 'prog %s\\r' 1 2 3");
    await terminal.shows(/│ prog 3\n/);
    terminal.type(`first${KEYS.altEnter}second\\${KEYS.enter}`);
    await terminal.shows(/› first\n {2}second\n/);
    terminal.type("third");
    await terminal.shows(/› first\n {2}second\n {2}third/);
    expect(terminal.cursor.x).toBe("  third".length);
  });

  test("shows every key", async () => {
    await using stage = new CommandStage();
    await using terminal = await ready(stage);
    terminal.type("?");
    await terminal.shows(/Keys and commands[\s\S]*Enter/);
    terminal.type("q");
    await terminal.shows("Ask anything");
    expect(terminal.text()).not.toContain("Keys and commands");
  });

  test("lists every command, those of the host and its own, when it is asked by a command", async () => {
    await using stage = new CommandStage();
    await using terminal = await ready(stage);
    terminal.send("/help");
    // A screen that is half drawn has the first lines only.
    await terminal.shows(
      /Commands[\s\S]*\/agents\s+Show the subagents that run[\s\S]*\/compress \[focus\]\s+Summarize[\s\S]*\/copy /,
    );
    expect(terminal.text().match(/\/copy /g)).toHaveLength(1);
    terminal.type(" ");
    await terminal.shows(/^ {2}(?!1–)\d+–\d+ of/m);
    terminal.type("q");
    await terminal.shows("Ask anything");
  });
});

describe("questions", () => {
  test("take a number, a choice with the arrows, and own words; a question that is skipped says so", async () => {
    await using stage = new CommandStage();
    await using terminal = await ready(stage);
    terminal.send("ask me");
    await terminal.shows("Alt+A answers");
    terminal.type(KEYS.altA);
    await terminal.shows("marks an answer");
    terminal.type(KEYS.down + KEYS.down + KEYS.up + KEYS.down + KEYS.enter);
    await terminal.shows(/→ green[\s\S]*Ask anything/);
    terminal.send("ask me");
    await terminal.answer(4);
    await terminal.shows("Enter answers");
    terminal.send("violet");
    await terminal.shows(/→ violet[\s\S]*Ask anything/);
    terminal.send("ask me");
    await terminal.answer(5);
    await terminal.shows(/→ skipped[\s\S]*Ask anything/);
    expect(terminal.text()).toContain("Ask anything");
  });
});

test("the skills are switched off and on, and put into the composer", async () => {
  await using stage = new CommandStage();
  mkdirSync(join(stage.home, "skills/review"), { recursive: true });
  writeFileSync(join(stage.home, "skills/review/SKILL.md"), "---\ndescription: Looks closely\n---\nLook.\n");
  await using terminal = await ready(stage);
  terminal.send("/skills");
  await terminal.shows(/Skills[\s\S]*● review[\s\S]*general · Looks closely/);
  terminal.type(KEYS.ctrl("g"));
  await terminal.shows("off · general");
  terminal.type(KEYS.ctrl("g"));
  await terminal.shows("● review");
  terminal.type(KEYS.enter);
  await terminal.until(() => terminal.text().includes("› /review"), "the composer");
  expect(terminal.text()).not.toContain("Esc closes");
});
