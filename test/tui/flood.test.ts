import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { times } from "../kit/counts.ts";
import { callTool, gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

describe("a flood", () => {
  test(
    "of lines leaves each of them in the scrollback once, and the keys that are typed meanwhile",
    { timeout: 300_000 },
    async () => {
      await using stage = new CommandStage();
      await using server = await startModelServer();
      const lines = Array.from({ length: times(100_000) }, (_, index) => `line ${index};\n`);
      const [begun, held] = [Math.floor(lines.length / 10), gate()];
      const rest = Array.from({ length: 100 }, (_, part) => {
        const size = Math.ceil((lines.length - begun) / 100);
        return lines.slice(begun + part * size, begun + (part + 1) * size).join("");
      });
      server.script(
        reply([say("```\n", lines.slice(0, begun).join("")), waitAt(held), say(...rest, "```\n")]),
      );
      stage.configure(config(server.baseUrl));
      await using terminal = new TestTerminal(stage);
      await terminal.shows("test-model");
      terminal.send("go");
      await terminal.shows(`line ${begun - 1};`);
      held.open();
      for (const letter of "typed meanwhile") terminal.type(letter);
      await terminal.shows("› typed meanwhile");
      await terminal.shows(new RegExp(`line ${lines.length - 1};[\\s\\S]*tokens`));
      const seen = terminal.lines().filter((line) => /^ {2}│ line \d+;$/.test(line));
      expect(seen).toEqual(lines.map((line) => `  │ ${line.trimEnd()}`));
    },
  );

  test("of output from a tool costs few rows, and can be read in full", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply([callTool("terminal", { command: "seq 1 200000" })]), reply("Done."));
    stage.configure(`${config(server.baseUrl)}approvals:\n  mode: "off"\n`);
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows(/Done\.[\s\S]*tokens\n/);
    expect(terminal.allRows().filter((row) => row !== "").length).toBeLessThan(20);
    terminal.type(KEYS.ctrl("o"));
    await terminal.shows(/the newest first[\s\S]*seq 1 200000/);
  });
});
