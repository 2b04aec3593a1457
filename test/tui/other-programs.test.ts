import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

/** The smallest picture: one point. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A program of the test's own; gives its path. */
function program(folder: string, name: string, script: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("other programs", () => {
  test.each([
    ["Ctrl+G", KEYS.ctrl("g")],
    ["Ctrl+X Ctrl+E", KEYS.ctrl("x") + KEYS.ctrl("e")],
  ])("%s opens the draft in an editor, which has the terminal for itself", async (_name, keys) => {
    await using stage = new CommandStage();
    const script = 'printf "editor: "; cat "$1"; read -r words; printf "%s, edited" "$words" > "$1"';
    const env = { VISUAL: program(join(stage.folder, "bin"), "editor", script) };
    await using terminal = new TestTerminal(stage, [], { env });
    await terminal.shows(/demo model answers/);
    terminal.type("my draft");
    await terminal.shows("› my draft");
    terminal.type(keys);
    await terminal.shows("editor: my draft");
    expect(terminal.screen.modes).toMatchObject({ bracketedPasteMode: false, sendFocusMode: false });
    terminal.type("other words\r");
    await terminal.shows("› other words, edited");
    expect(terminal.screen.modes).toMatchObject({ bracketedPasteMode: true, sendFocusMode: true });
    terminal.type("!");
    await terminal.shows("› other words, edited!");
  });

  test("an editor is not written over by the answer that goes on meanwhile, which is whole afterwards", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    const held = gate();
    server.script(reply([say("The first half.\n\n"), waitAt(held), say("The second half.\n")]));
    stage.configure(config(server.baseUrl));
    const script = 'printf "editor open\\n"; read -r words; printf "%s" "$words" > "$1"';
    const env = { VISUAL: program(join(stage.folder, "bin"), "editor", script) };
    await using terminal = new TestTerminal(stage, [], { env });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("The first half.");
    terminal.type(KEYS.ctrl("g"));
    await terminal.shows("editor open");
    const { length } = terminal.raw;
    held.open();
    // Another process sees when the turn is over.
    const list = async () => (await stage.ask(["sessions", "list", "--json"])).stdout;
    await expect.poll(list).toContain('"status": "idle"');
    expect(terminal.raw.slice(length)).toBe("");
    terminal.type("a draft\r");
    await terminal.shows(/The second half\.[\s\S]*tokens[\s\S]*› a draft/);
    for (const half of ["The first half.", "The second half."])
      expect(terminal.lines().filter((line) => line.includes(half))).toHaveLength(1);
  });

  test.each([
    ["Ctrl+C", KEYS.ctrl("c"), "INT"],
    ["Ctrl+\\", "\u001c", "QUIT"],
  ])("%s in an editor is the editor's alone, and the turn goes on", async (_name, key, signal) => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    const held = gate();
    server.script(reply([say("The first half, "), waitAt(held), say("the second half.\n")]));
    stage.configure(config(server.baseUrl));
    // It lives on, as ed and vim do, and what it runs has the signal's usual effect.
    const script = `trap 'printf "told to wait\\n"' ${signal}
printf "editor open\\n"; until read -r words; do :; done; printf "%s" "$words" > "$1"`;
    const env = { VISUAL: program(join(stage.folder, "bin"), "editor", script) };
    await using terminal = new TestTerminal(stage, [], { env, bySh: true });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("The first half,");
    terminal.type(KEYS.ctrl("g"));
    await terminal.shows("editor open");
    terminal.type(key);
    // The shell says so when its read is over.
    terminal.type("a draft\r");
    await terminal.shows(/told to wait[\s\S]*› a draft/);
    held.open();
    await terminal.shows(/The first half, the second half\.[\s\S]*tokens\n/);
    expect(terminal.lines().join("\n")).not.toMatch(/interrupted|killed/);
  });

  test("an editor that Ctrl+C ends leaves the draft as it was", async () => {
    await using stage = new CommandStage();
    const env = { VISUAL: program(join(stage.folder, "bin"), "editor", 'printf "editor open\\n"; exec cat') };
    await using terminal = new TestTerminal(stage, [], { env, bySh: true });
    await terminal.shows(/demo model answers/);
    terminal.type("my draft");
    await terminal.shows("› my draft");
    terminal.type(KEYS.ctrl("g"));
    await terminal.shows("editor open");
    terminal.type(KEYS.ctrl("c"));
    await terminal.shows(/editor open[\s\S]*› my draft/);
    terminal.type("!");
    await terminal.shows("› my draft!");
    expect(terminal.lines().join("\n")).not.toMatch(/interrupted|killed/);
  });

  test("an image that is dropped on the window, or is in the clipboard, goes along with the next prompt", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("None."), reply("Two points."));
    stage.configure(config(server.baseUrl));
    const file = join(stage.workspace, "a point.png");
    writeFileSync(file, PICTURE);
    const bin = join(stage.folder, "bin");
    program(bin, "xclip", `cat '${file}'`);
    const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}`, DISPLAY: ":0" };
    await using terminal = new TestTerminal(stage, [], { env });
    await terminal.shows("test-model");
    terminal.type(KEYS.paste(file.replaceAll(" ", "\\ ")));
    await terminal.shows("› [image a point.png]");
    // What is cleared does not go along; what is brought back does.
    terminal.type(KEYS.ctrl("u"));
    await terminal.shows("Ask anything");
    terminal.send("no picture");
    await terminal.shows(/› no picture\n[\s\S]*None\.[\s\S]*tokens\n/);
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain("data:image");
    terminal.type(KEYS.paste(file.replaceAll(" ", "\\ ")));
    await terminal.shows("› [image a point.png]");
    terminal.type(KEYS.ctrl("v"));
    await terminal.shows(/› \[image a point\.png\] \[image [^\]]+\.png\]/);
    terminal.send("what is it?");
    await terminal.shows(/\(2 images\)[\s\S]*Two points\.[\s\S]*tokens\n/);
    const body = JSON.stringify(server.requests[1]?.body);
    // Nobody knows whether this model sees: images are tried.
    const sent = `data:image/png;base64,${PICTURE.toString("base64")}`;
    expect(body.split(sent).length - 1).toBe(2);
  });

  test("a file that is dropped is named in the prompt, and a text that only looks like one is pasted", async () => {
    await using stage = new CommandStage();
    const file = join(stage.workspace, "notes.txt");
    writeFileSync(file, "x");
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.type(KEYS.paste(file));
    await terminal.shows(/› @file:\S+notes\.txt/);
    terminal.type(KEYS.ctrl("u") + KEYS.paste("/no/such/file"));
    await terminal.shows("› /no/such/file");
    expect(terminal.text()).not.toContain("@file");
  });
});
