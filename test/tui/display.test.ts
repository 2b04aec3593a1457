import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, reply, say, startModelServer, think } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\napprovals:\n  mode: "off"\n`;

describe("what a person wants to see", () => {
  test("is shown as the configuration says", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(
      reply([think("First a look."), callTool("terminal", { command: "seq 1 3" })]),
      reply([callTool("terminal", { command: "exit 3" })]),
      reply("Done."),
    );
    stage.configure(
      `${config(server.baseUrl)}display:\n  tui_statusbar: bottom\n  tui_compact: true\n  sections:\n    thinking: hidden\n    tools: collapsed\n`,
    );
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/› Ask any[^\n]*\n── test-model/);
    terminal.send("go");
    await terminal.shows(/tokens[\s\S]*Ask any/);
    const text = terminal.text();
    expect(text).toMatch(
      /› go\n✓ seq 1 3[^\n]*\n✗ exit 3[^\n]*\n {2}│ [^\n]+\n(?: {2}│ [^\n]+\n)* {2}Done\.\n/,
    );
    expect(text).not.toContain("First a look.");
  });

  test("is changed by /display, for good, and completed while it is typed", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply([think("A thought of\nmore than one line."), say("One.")]), reply("Two."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.type("/disp");
    await terminal.shows(/❯ \/display {2}Show or change/);
    terminal.type(KEYS.tab);
    await terminal.shows(/› \/display\n/);
    terminal.type(" thi");
    await terminal.shows(/❯ thinking/);
    terminal.type(KEYS.tab);
    await terminal.shows("› /display thinking");
    terminal.send(" expanded");
    await terminal.shows("✓ thinking: expanded");
    terminal.send("go");
    await terminal.shows(/∴ Thought\n {2}A thought of\n {2}more than one line\.[\s\S]*One\.[\s\S]*tokens\n/);
    terminal.send("/display statusbar off");
    await terminal.until(() => !terminal.text().includes("── test-model"), "no status line");
    terminal.send("/display statusbar left");
    await terminal.shows("/display statusbar takes top, bottom, off.");
    terminal.send("/display colour");
    await terminal.shows('There is no "colour" to change');
    terminal.send("/display");
    await terminal.shows(/thinking +expanded [\s\S]*statusbar +off /);
    await using again = new TestTerminal(stage);
    await again.shows("Ask any");
    again.send("go");
    await again.shows(/Two\.[\s\S]*tokens\n/);
    expect(again.text()).not.toContain("── test-model");
    expect(server.requests).toHaveLength(2);
  });
});
