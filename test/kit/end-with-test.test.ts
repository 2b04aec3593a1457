import { expect, test } from "vitest";
import { TestTerminal } from "../tui/terminal.ts";
import { CommandStage, OPEN } from "./command.ts";
import { LineTerminal } from "./line-terminal.ts";

const left: number[] = [];

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

// A test that times out never comes to the end of its `using`. This one has none.
test("a test leaves commands and terminals behind", async () => {
  const stage = new CommandStage();
  const line = new LineTerminal(stage, ["setup"]);
  const screen = new TestTerminal(stage, [], { bySh: true });
  const { child } = stage.start(["run", "-"], { stdin: OPEN });
  await line.shows(/Where is the model\?/);
  await screen.shows(/demo model/);
  left.push(line.pid, screen.pid, child.pid ?? 0);
  expect(left.map(isAlive)).toEqual([true, true, true]);
});

test("they have ended with it", async () => {
  await expect.poll(() => left.map(isAlive)).toEqual([false, false, false]);
});
