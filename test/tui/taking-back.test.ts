import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { LineTerminal } from "../kit/line-terminal.ts";
import { callTool, type ModelServer, reply, startModelServer } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal, type TerminalOptions } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

const LONG = Array.from({ length: 60 }, (_, line) => `Line ${line + 1} of it.`).join("\n\n");

/** A turn that says "Kept.", and one that changes a file and makes another. */
function scriptChanges(server: ModelServer, stage: CommandStage): void {
  writeFileSync(join(stage.workspace, "old.txt"), "one\n");
  server.script(
    reply("Kept."),
    reply([
      callTool("edit_file", { path: "old.txt", old_text: "one", new_text: "two" }),
      callTool("write_file", { path: "new.txt", content: "fresh\n" }),
    ]),
    reply("Changed both."),
  );
  stage.configure(config(server.baseUrl));
}

/** A terminal in which both turns are over. */
async function changed(stage: CommandStage, options: TerminalOptions = {}): Promise<TestTerminal> {
  const terminal = new TestTerminal(stage, ["--mode", "all"], options);
  await terminal.shows("test-model");
  terminal.send("the first");
  await terminal.shows(/Kept\.[\s\S]*tokens[\s\S]*Ask anything/);
  terminal.send("the second");
  await terminal.shows(/Changed both\.\n[^\n]*tokens\n/);
  return terminal;
}

const oldText = (stage: CommandStage): string => readFileSync(join(stage.workspace, "old.txt"), "utf8");
const isThere = (stage: CommandStage): boolean => existsSync(join(stage.workspace, "new.txt"));
const all = (terminal: TestTerminal): string => terminal.allRows().join("\n");

describe("what is taken back leaves the screen", () => {
  test("with its calls and its prompt, which comes into the composer; what became of the files is said once", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    scriptChanges(server, stage);
    await using terminal = await changed(stage);
    terminal.type(KEYS.escape);
    await terminal.shows("Esc once more");
    terminal.type(KEYS.escape);
    await terminal.shows(
      /❯ +the second +takes back 1 turn · \S+ · 2 files \+2 -1\n +the first +takes back 2/,
    );
    terminal.type(KEYS.enter);
    await terminal.shows(
      /Go back to before: the second[\s\S]*❯ +The conversation and the files +1 turn · restores 1 file, removes 1 file\n +The conversation /,
    );
    terminal.type(KEYS.enter);
    await terminal.shows(/Removed 1 file: new\.txt\.[\s\S]*› the second/);
    expect(all(terminal)).toMatch(
      /Kept\.\n[^\n]*tokens\n+· Took back 1 turn\.\n· Restored 1 file: old\.txt\. Removed 1 file: new\.txt\.\n+── test-model [^\n]*\n› the second\n*$/,
    );
    expect(all(terminal).match(/the second|Changed both|Edit old|Restored/g)).toEqual([
      "Restored",
      "the second",
    ]);
    expect([oldText(stage), isThere(stage)]).toEqual(["one\n", false]);
    terminal.type(KEYS.ctrl("u"));
    terminal.send("/status");
    await terminal.shows(/Context +[█░]+ [\d,]+ of [\d,]+ \(\d+ %\), estimated/);
  });

  test("with the conversation alone: the files that stay are named", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    scriptChanges(server, stage);
    await using terminal = await changed(stage);
    terminal.send("/rewind");
    await terminal.shows(/❯ +the second/);
    terminal.type(KEYS.enter);
    await terminal.shows("The conversation and the files");
    terminal.type(KEYS.down + KEYS.enter);
    await terminal.shows(
      /Took back 1 turn\. Left changed: (?:old|new)\.txt, (?:old|new)\.txt\.[\s\S]*› the second/,
    );
    expect(all(terminal)).not.toContain("Changed both");
    expect([oldText(stage), isThere(stage)]).toEqual(["two\n", true]);
  });

  test("not when the list or the choice is left, or only files go back", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    scriptChanges(server, stage);
    await using terminal = await changed(stage);
    const before = all(terminal);
    terminal.send("/rewind");
    await terminal.shows(/❯ +the second/);
    terminal.type(KEYS.escape);
    await terminal.until(() => all(terminal) === before, "the screen as it was");
    terminal.send("/rewind");
    await terminal.shows(/❯ +the second/);
    terminal.type(KEYS.enter);
    await terminal.shows("The conversation and the files");
    terminal.type(KEYS.escape);
    await terminal.until(() => all(terminal) === before, "the screen as it was");
    expect([oldText(stage), isThere(stage)]).toEqual(["two\n", true]);
    terminal.send("/rewind 2 files");
    await terminal.shows("Restored 1 file: old.txt. Removed 1 file: new.txt.");
    expect(all(terminal)).toContain("Changed both.");
    expect([oldText(stage), isThere(stage)]).toEqual(["one\n", false]);
  });

  test("/undo asks as a rewind does when files were changed, and takes what it is told at once", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    scriptChanges(server, stage);
    await using terminal = await changed(stage);
    terminal.send("/undo x");
    await terminal.shows("Usage: /undo [number of turns] [conversation|files|both]");
    terminal.send("/undo");
    await terminal.shows(/Go back to before: the second[\s\S]*❯ +The conversation and the files/);
    terminal.type(KEYS.escape);
    await terminal.until(() => !terminal.text().includes("Go back to before"), "the end of the dialog");
    terminal.send("/undo 2 both");
    await terminal.shows(
      /Took back 2 turns\.\n· Restored 1 file: old\.txt\. Removed 1 file: new\.txt\.[\s\S]*› the first/,
    );
    expect(all(terminal)).not.toContain("Kept.");
    expect([oldText(stage), isThere(stage)]).toEqual(["one\n", false]);
  });

  test("when it has left the window, too: the window begins anew with the conversation as it is", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("Kept."), reply(LONG), reply("And more."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    for (const [said, answer] of [
      ["the first", "Kept."],
      ["the second", "Line 60"],
      ["the third", "And more."],
    ] as const) {
      terminal.send(said);
      await terminal.until(
        () => new RegExp(`${answer}[^]*tokens[^]*Ask anything`).test(terminal.text()),
        answer,
      );
    }
    terminal.send("/undo 2");
    await terminal.shows(
      /^The conversation as it is now\nTurns were taken back\.[^\n]*\n+› the first\n+ +Kept\.\n+· Took back 2 turns\.[^\n]*\n+── [^\n]*\n› the second/,
    );
    expect(terminal.text()).not.toMatch(/Line \d|And more/);
    for (const clear of ["\u001b[2J", "\u001b[3J"]) expect(terminal.raw).not.toContain(clear);
  });

  test("in every window of the session, of whatever size it is since", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    scriptChanges(server, stage);
    await using terminal = await changed(stage);
    await using second = new TestTerminal(stage, ["-c"]);
    await second.shows("Changed both.");
    await using third = new TestTerminal(stage, ["-c"]);
    await third.shows("Changed both.");
    third.resize(60, 24);
    // Until then a row of the old width is broken in two.
    await third.until(() => !third.rows().some((row) => /^─+$/.test(row)), "the new width");
    terminal.send("/undo both");
    for (const window of [terminal, second, third]) {
      await window.shows(/Kept\.[\s\S]*Took back 1 turn\.\n· Restored 1 file: old\.txt\. Removed/);
      expect(window.text()).not.toMatch(/Changed both|Edit old/);
    }
    expect(third.text()).toContain("The conversation as it is now");
  });

  test("/copy copies the answer before it", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    scriptChanges(server, stage);
    await using terminal = await changed(stage);
    terminal.send("/undo both");
    await terminal.shows("Took back 1 turn.");
    terminal.type(KEYS.ctrl("u"));
    terminal.send("/copy");
    await terminal.shows("The answer was copied.");
    expect(terminal.raw).toContain(`]52;c;${Buffer.from("Kept.").toString("base64")}`);
  });
});

test("in plain lines /undo says which files stay and how they go back, or takes them along", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  scriptChanges(server, stage);
  using terminal = new LineTerminal(stage, ["--plain", "--mode", "all"]);
  await terminal.shows(/> /);
  terminal.type("the first\r");
  await terminal.shows(/Kept\.[\s\S]*> /);
  terminal.type("the second\r");
  await terminal.shows(/Changed both\.[\s\S]*> /);
  terminal.type("/undo\r");
  const said = await terminal.shows(
    /(?:It was: the second[^]*Took back|Took back[^]*It was: the second)[^]*> /,
  );
  expect(said).toContain(
    "Took back 1 turn. Left changed: old.txt, new.txt. /diff shows how, /rewind puts files back.",
  );
  expect(oldText(stage)).toBe("two\n");
  terminal.type("/rewind 2 files\r");
  await terminal.shows(/Restored 1 file: old\.txt\. Removed 1 file: new\.txt\.\s*> /);
  expect([oldText(stage), isThere(stage)]).toEqual(["one\n", false]);
});
