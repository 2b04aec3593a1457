import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { LineTerminal } from "../kit/line-terminal.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

/** A terminal whose process is killed with a turn that runs and two prompts behind it. */
async function killedWithQueue(stage: CommandStage): Promise<void> {
  await using terminal = new TestTerminal(stage, [], { own: true });
  await terminal.shows("test-model");
  terminal.send("first");
  await terminal.shows("Working on it");
  for (const [index, text] of ["second", "third"].entries()) {
    terminal.type(`${text}${KEYS.tab}`);
    await terminal.shows(`queued ${index + 1} ${text}`);
  }
  terminal.kill("SIGKILL");
  await terminal.exit;
}

test("what was queued in a terminal that was killed waits for Enter when somebody comes back", async () => {
  await using stage = new CommandStage();
  const held = gate();
  await using server = await startModelServer();
  server.script(reply([say("Working on it"), waitAt(held)]), reply("Two."), reply("Three."));
  stage.configure(config(server.baseUrl));
  await killedWithQueue(stage);
  await using again = new TestTerminal(stage, ["-c"]);
  await again.shows(/held second\n\s+held third[\s\S]*Enter sends what is held · Esc takes it back/);
  expect(server.requests).toHaveLength(1);
  again.type(KEYS.enter);
  await again.shows(/› second[\s\S]*Two\.[\s\S]*› third[\s\S]*Three\.[\s\S]*Ask anything/);
  expect(again.lines().join("\n")).not.toContain("runs now");
  held.open();
});

test("Esc takes it back into the composer, and nothing is sent", async () => {
  await using stage = new CommandStage();
  const held = gate();
  await using server = await startModelServer();
  server.script(reply([say("Working on it"), waitAt(held)]));
  stage.configure(config(server.baseUrl));
  await killedWithQueue(stage);
  await using again = new TestTerminal(stage, ["-c"]);
  await again.shows(/held second[\s\S]*Esc takes it back/);
  again.type(KEYS.escape);
  await again.shows(/› second\n\s*\n\s+third/);
  await again.until(() => !again.text().includes("held"), "an empty queue");
  expect(server.requests).toHaveLength(1);
  held.open();
});

test("in plain lines /confirm drop takes it back, and nothing is sent", async () => {
  await using stage = new CommandStage();
  const held = gate();
  await using server = await startModelServer();
  server.script(reply([say("Working on it"), waitAt(held)]));
  stage.configure(config(server.baseUrl));
  await killedWithQueue(stage);
  using again = new LineTerminal(stage, ["--plain", "-c"]);
  await again.shows(/held back: 2 prompts; \/confirm sends them, \/confirm drop takes them back/);
  again.type("/confirm away\r");
  await again.shows(/Usage: \/confirm \[drop\]/);
  again.type("/confirm drop\r");
  await again.shows(/Taken back: second\s+Taken back: third/);
  again.type("/confirm drop\r");
  await again.shows(/No prompt is held\./);
  expect(server.requests).toHaveLength(1);
  held.open();
});
