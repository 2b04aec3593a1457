import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { LineTerminal } from "../kit/line-terminal.ts";
import {
  callTool,
  gate,
  type ModelServer,
  reply,
  say,
  startModelServer,
  waitAt,
} from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const configure = (stage: CommandStage, { baseUrl }: ModelServer): void =>
  stage.configure(
    `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\nterminal:\n  backend: local\ndisplay:\n  tui_title: false\n`,
  );

const WAITS = "echo begun; until [ -e go ]; do sleep 0.05; done; exit 3";
const ENDED = /The background command bg_\w+ \(echo begun[^)]*\) ended with exit code 3/g;

const lastRequest = ({ requests }: ModelServer): string => JSON.stringify(requests.at(-1)?.body);

test("Ctrl+B sends a command to the background, which is counted until its end is said here and to the model", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(reply("I heard."));
  configure(stage, server);
  await using terminal = new TestTerminal(stage);
  await terminal.shows("test-model");
  terminal.send(`!${WAITS}`);
  await terminal.shows(/│ begun/);
  terminal.type(KEYS.ctrl("b"));
  await terminal.shows(/In the background: \/processes[\s\S]*1 running · \/processes[\s\S]*Ask anything/);
  terminal.send("/processes");
  await terminal.shows(/In the background[\s\S]*echo begun.*running · \S+ · 6 bytes/);
  terminal.type(KEYS.escape);
  await terminal.shows(/1 running[\s\S]*Ask anything/);
  writeFileSync(join(stage.workspace, "go"), "");
  await terminal.shows(/A command in the background ended with exit code 3: echo begun/);
  await terminal.until(() => !terminal.text().includes("1 running"), "nothing that runs");
  terminal.send("and now?");
  await terminal.shows(/I heard\.[\s\S]*Ask anything/);
  expect(lastRequest(server).match(ENDED)).toHaveLength(1);
});

test("the model hears within the turn of a command that it sent to the background", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  const held = gate();
  server.script(
    reply([callTool("terminal", { command: WAITS, background: true })]),
    reply([say("Waiting. "), waitAt(held), callTool("list_files", {})]),
    reply("Heard."),
    reply("Again."),
  );
  configure(stage, server);
  await using terminal = new TestTerminal(stage, ["--mode", "all"]);
  await terminal.shows("test-model");
  terminal.send("go");
  await terminal.shows(/Waiting\.[\s\S]*1 running/);
  writeFileSync(join(stage.workspace, "go"), "");
  await terminal.shows(/A command in the background ended with exit code 3/);
  held.open();
  await terminal.shows(/Heard\.[\s\S]*Ask anything/);
  expect(lastRequest(server).match(ENDED)).toHaveLength(1);
  terminal.send("again");
  await terminal.shows(/Again\.[\s\S]*Ask anything/);
  expect(lastRequest(server).match(ENDED)).toHaveLength(1);
});

test("who attaches in the middle sees what runs; after kill -9 it is over, for people and for the model", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(
    reply([callTool("terminal", { command: "sleep 600", background: true })]),
    reply("It runs."),
    reply("It is gone."),
  );
  configure(stage, server);
  await using first = new TestTerminal(stage, ["--mode", "all"], { own: true });
  await first.shows("test-model");
  first.send("go");
  await first.shows(/It runs\.[\s\S]*1 running[\s\S]*Ask anything/);
  await using second = new TestTerminal(stage, ["-c"]);
  await second.shows(/It runs\.[\s\S]*1 running[\s\S]*Ask anything/);
  second.send("/processes");
  await second.shows(/sleep 600.*in another process/);
  second.type(KEYS.escape);
  await second.shows(/1 running[\s\S]*Ask anything/);
  first.kill("SIGKILL");
  await first.exit;
  await using third = new TestTerminal(stage, ["-c"]);
  await third.shows(/It runs\.[\s\S]*Ask anything/);
  await second.shows(/A command in the background ended with the agent that ran it: sleep 600/);
  await second.until(() => !second.text().includes("1 running"), "nothing that runs");
  expect(third.text()).not.toContain("1 running");
  third.send("and now?");
  await third.shows(/It is gone\.[\s\S]*Ask anything/);
  expect(lastRequest(server)).toMatch(
    /The background command bg_\w+ \(sleep 600\) ended with the agent that ran it/,
  );
});

test("who leaves is asked, and ends what runs; the model hears of it when somebody comes back", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(
    reply([callTool("terminal", { command: "sleep 600", background: true })]),
    reply("It runs."),
    reply("It is gone."),
  );
  configure(stage, server);
  await using first = new TestTerminal(stage, ["--mode", "all"]);
  await first.shows("test-model");
  first.send("go");
  await first.shows(/It runs\.[\s\S]*1 running[\s\S]*Ask anything/);
  first.type(KEYS.ctrl("d"));
  await first.shows(/A command runs in the background, and ends with this window\.[\s\S]*sleep 600/);
  first.type(KEYS.escape);
  await first.shows("Ask anything");
  first.send("/quit");
  await first.shows(/ends with this window/);
  first.type(KEYS.enter);
  expect(await first.exit).toBe(0);
  await using again = new TestTerminal(stage, ["-c"]);
  await again.shows(/It runs\.[\s\S]*Ask anything/);
  expect(again.text()).not.toContain("1 running");
  again.send("and now?");
  await again.shows(/It is gone\.[\s\S]*Ask anything/);
  expect(lastRequest(server)).toMatch(/\(sleep 600\) ended with the agent that ran it/);
});

test("plain lines say what begins in the background and how much runs, list it and read it", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(reply([callTool("terminal", { command: WAITS, background: true })]), reply("It runs."));
  configure(stage, server);
  using terminal = new LineTerminal(stage, ["--plain", "--mode", "all"]);
  await terminal.shows(/> /);
  terminal.type("go\r");
  // The answer may come before the command has begun.
  await terminal.shows(
    /(?=[^]*It runs\.)[^]*\(in the background: echo begun[^\n]*\)\r?\n\(1 running; \/processes lists what runs\)/,
  );
  terminal.type("/processes\r");
  const id = /bg_\w+/.exec(await terminal.shows(/bg_\w+ +running, [^\n]*echo begun/))?.[0] ?? "";
  terminal.type(`/processes ${id}\r`);
  await terminal.shows(/begun\r?\n\[bg_\w+: running\]/);
  terminal.type("/processes nothing\r");
  await terminal.shows(/No command nothing was started/);
  terminal.type("/quit\r");
  await terminal.shows(
    /A command runs in the background, and ends with this window\. 1 leaves, Enter stays\./,
  );
  terminal.type("\r");
  writeFileSync(join(stage.workspace, "go"), "");
  await terminal.shows(/A command in the background ended with exit code 3/);
  await terminal.shows(/\(0 running/);
  expect(terminal.written, "lines are only ever added").not.toContain("\u001b");
});
