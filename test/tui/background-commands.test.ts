import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { reply, startModelServer } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

test("Ctrl+B sends a command to the background, whose end is said here and to the model", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  server.script(reply("I heard."));
  stage.configure(
    `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\ndisplay:\n  tui_title: false\n`,
  );
  await using terminal = new TestTerminal(stage);
  await terminal.shows("test-model");
  terminal.send("!echo begun; until [ -e go ]; do sleep 0.05; done; exit 3");
  await terminal.shows(/│ begun/);
  terminal.type(KEYS.ctrl("b"));
  await terminal.shows(/In the background: \/processes[\s\S]*Ask anything/);
  writeFileSync(join(stage.workspace, "go"), "");
  await terminal.shows(/A command in the background ended with exit code 3: echo begun/);
  terminal.send("and now?");
  await terminal.shows(/I heard\.[\s\S]*Ask anything/);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(
    /The background command bg_\w+ \(echo begun[^)]*\) ended with exit code 3/,
  );
});
