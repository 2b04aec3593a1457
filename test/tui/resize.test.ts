import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { random, times } from "../kit/counts.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

/** Resizes between two parts of the answer. */
const BURST = 10;

describe("a window that changes its size", () => {
  test(
    "leaves each finished line in the scrollback once, and nothing is ever cleared",
    { timeout: 600_000 },
    async () => {
      await using stage = new CommandStage();
      await using server = await startModelServer();
      stage.configure(config(server.baseUrl));
      const gates = Array.from({ length: times(10_000) / BURST }, () => gate());
      const steps = gates.flatMap((held, index) => [
        ...say(`Part ${index} begins.\n\n- item ${index}.1\n- item ${index}.2\n\nHalf of part ${index}`),
        waitAt(held),
        ...say(` is whole.\n\n`),
      ]);
      server.script(reply([steps, say("The end.")]));
      await using terminal = new TestTerminal(stage, [], { own: true });
      await terminal.shows("test-model");
      terminal.send("go");
      const next = random(3);
      const between = (from: number, to: number): number => from + Math.floor(next() * (to - from));
      for (const [index, held] of gates.entries()) {
        await held.reached;
        await terminal.until(() => terminal.raw.includes(`Half of part ${index}`), "the next part");
        for (let count = 0; count < BURST; count += 1) {
          const { length } = terminal.raw;
          terminal.resize(between(30, 160), between(8, 50));
          await terminal.until(() => terminal.raw.length > length, "a frame after the resize");
        }
        held.open();
      }
      await terminal.shows(/The end\.[\s\S]*tokens/);
      // Finding control sequences is what this is for.
      // oxlint-disable-next-line no-control-regex
      expect(terminal.raw).not.toMatch(/\u001b\[[23]J/);
      const lines = terminal.lines();
      for (const index of gates.keys()) {
        for (const text of [`Part ${index} begins.`, `item ${index}.1`, `item ${index}.2`])
          expect(
            lines.filter((line) => line.endsWith(` ${text}`)),
            text,
          ).toHaveLength(1);
        expect(lines.filter((line) => line.includes(`Half of part ${index} is whole.`))).toHaveLength(1);
      }
    },
  );
});
