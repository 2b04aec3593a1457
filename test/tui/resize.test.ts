import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { random, times, timesOr } from "../kit/counts.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

/** Resizes between two parts of the answer. */
const BURST = 10;

/** Whether the rule above the input is as long as the window is wide now: it leaves the last column free. */
function isDrawn({ screen }: TestTerminal): boolean {
  const { active } = screen.buffer;
  for (let row = 0; row < screen.rows; row += 1) {
    const line = active.getLine(active.baseY + row)?.translateToString(true) ?? "";
    const isWhole = active.getLine(active.baseY + row + 1)?.isWrapped !== true;
    if (line.startsWith("──") && line.length === screen.cols - 1 && isWhole) return true;
  }
  return false;
}

/** All that a window has shown. */
interface Shown {
  readonly raw: string;
  readonly lines: readonly string[];
  readonly parts: number;
}

/** Windows that are resized at once: most of the time goes into waiting, as after each change of a window that is dragged. */
const WINDOWS = 5;

/** Changes the size of a window again and again, in the middle of an answer; gives all that it has shown. */
async function resizeOften(salt: number, changes: number): Promise<Shown> {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  stage.configure(config(server.baseUrl));
  const gates = Array.from({ length: changes / BURST }, () => gate());
  const steps = gates.flatMap((held, index) => [
    ...say(`Part ${index} begins.\n\n- item ${index}.1\n- item ${index}.2\n\nHalf of part ${index}`),
    waitAt(held),
    ...say(` is whole.\n\n`),
  ]);
  server.script(reply([steps, say("The end.")]));
  await using terminal = new TestTerminal(stage, [], { own: true });
  await terminal.shows("test-model");
  terminal.send("go");
  const next = random(salt);
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from));
  let from = 0;
  for (const [index, held] of gates.entries()) {
    await held.reached;
    const begun = `Half of part ${index}`;
    await terminal.until(() => terminal.raw.indexOf(begun, from) !== -1, "the next part");
    for (let count = 0; count < BURST; count += 1) {
      terminal.resize(between(30, 160), between(8, 50));
      await terminal.until(() => isDrawn(terminal), "a frame of the new width");
    }
    from = terminal.raw.length;
    held.open();
  }
  await terminal.shows(/The end\.[\s\S]*tokens\n/);
  return { raw: terminal.raw, lines: terminal.lines(), parts: gates.length };
}

describe("a window that changes its size", () => {
  test(
    "leaves each finished line in the scrollback once, and nothing is ever cleared",
    { timeout: timesOr(3_600_000, 600_000) },
    async () => {
      const changes = times(10_000) / WINDOWS;
      const windows = Array.from({ length: WINDOWS }, (_, window) => resizeOften(3 + window, changes));
      for (const { raw, lines, parts } of await Promise.all(windows)) {
        // Finding control sequences is what this is for.
        // oxlint-disable-next-line no-control-regex
        expect(raw).not.toMatch(/\u001b\[[23]J/);
        for (let part = 0; part < parts; part += 1) {
          for (const text of [`Part ${part} begins.`, `item ${part}.1`, `item ${part}.2`])
            expect(
              lines.filter((line) => line.endsWith(` ${text}`)),
              text,
            ).toHaveLength(1);
          expect(lines.filter((line) => line.includes(`Half of part ${part} is whole.`))).toHaveLength(1);
        }
      }
    },
  );

  test("leaves nothing in the scrollback of a long paragraph that is still growing", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    stage.configure(config(server.baseUrl));
    const held = gate();
    const words = Array.from({ length: 240 }, (_, index) => `word${index}`);
    server.script(reply([...words.map((word) => say(`${word} `)), waitAt(held), say("end.")]));
    await using terminal = new TestTerminal(stage, [], { columns: 80, rows: 30 });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("word239");
    for (const rows of [14, 30, 16]) {
      terminal.resize(80, rows);
      await terminal.until(() => isDrawn(terminal) && terminal.text().includes("word239"), "the frame");
    }
    held.open();
    await terminal.shows(/end\.[\s\S]*tokens\n/);
    const seen = terminal.allRows().flatMap((row) => row.match(/word\d+/g) ?? []);
    expect(seen).toEqual(words);
  });
});
