import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { untilRecord } from "../kit/home-records.ts";
import {
  callTool,
  type ModelServer,
  reply,
  say,
  startModelServer,
  think,
} from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

const LONG = "sleep 600 && echo over";

/** A turn with two calls that are over and one that runs, or waits to be allowed. */
function scriptTurn(server: ModelServer, stage: CommandStage): void {
  server.script(
    reply([
      think("Two looks first."),
      say("I look **here**."),
      callTool("terminal", { command: "echo one; echo two" }),
    ]),
    reply([say("And then:\n\n- a\n- b\n"), callTool("terminal", { command: "false" })]),
    reply([say("Now the long one."), callTool("terminal", { command: LONG })]),
  );
  stage.configure(config(server.baseUrl));
}

/** What is said of the turn, without what turns and counts. */
function turnLines(terminal: TestTerminal): readonly string[] {
  const lines = terminal.lines();
  const begins = lines.findLastIndex((line) => line.startsWith("› go"));
  const ends = lines.findIndex((line, index) => index > begins && line.includes("Esc stops"));
  const still = lines.slice(begins, ends).map((line) => line.replace(/^[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /, "⠋ "));
  return still.map((line) =>
    line.replace(/ \d+(?:\.\d)? s\b.*$/, "").replace(/^∴ Thought for [^:]*:/, "∴ Thought:"),
  );
}

describe("a window that comes to a running turn", () => {
  test("shows it as the one that began it does: text and calls in order, the running one, steering, the queue", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    scriptTurn(server, stage);
    await using first = new TestTerminal(stage, ["--mode", "all"]);
    await first.shows("test-model");
    first.send("go");
    await first.shows(LONG);
    first.type(`later${KEYS.tab}`);
    await first.shows("queued 1 later");
    first.send("add this");
    await first.shows("steering add this");
    await using second = new TestTerminal(stage, ["-c"]);
    await second.shows(/Running a tool[\s\S]*steering add this\n\s+queued 1 later/);
    await expect.poll(() => turnLines(second)).toEqual(turnLines(first));
    expect(turnLines(second).join("\n")).toMatch(
      /^› go\n+∴ Thought: Two looks first\.\n+ +I look here\.\n+✓ echo one; echo two\n +│ one\n +│ two\n+ +And then:\n+ +• a\n +• b\n+✗ false\n[\s\S]* +Now the long one\.\n+⠋ sleep 600 && echo over/,
    );
    expect(second.text()).not.toMatch(/Writing|queued before/);
    first.type(KEYS.escape);
    await second.shows(/⊘ sleep 600[\s\S]*interrupted · from another window/);
  });

  test("shows its question once, and the answers before it in their places", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(
      reply([say("I make one."), callTool("terminal", { command: "mkdir one" })]),
      reply([say("And another."), callTool("terminal", { command: "mkdir two" })]),
    );
    stage.configure(config(server.baseUrl));
    await using first = new TestTerminal(stage);
    await first.shows("test-model");
    first.send("go");
    await first.answer(1);
    await first.shows(/And another\.[\s\S]*│ mkdir two/);
    await using second = new TestTerminal(stage, ["-c"]);
    await second.shows(
      /I make one\.\n+\? Allow mkdir one\n +→ allowed once[^\n]*\n+✓ mkdir one[\s\S]*And another\.[\s\S]*Allow this\?[^\n]*\n +│ mkdir two[\s\S]*Alt\+A answers/,
    );
    expect(second.text().match(/Allow this\?/g)).toHaveLength(1);
    await second.answer(4);
    await first.shows(/denied/);
  });

  test("shows it after agent attach, too, once the window that began it is gone, and what was queued comes back there", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    scriptTurn(server, stage);
    const first = new TestTerminal(stage, ["--mode", "all"], { own: true });
    await first.shows("test-model");
    first.send("go");
    await first.shows(LONG);
    first.type(`later${KEYS.tab}`);
    await first.shows("queued 1 later");
    const shown = turnLines(first);
    first.hangUp();
    await untilRecord(stage, "detached", /./);
    expect((await stage.ask(["ps"])).stdout).toMatch(/\n\S+ +\d+ +no /);
    await using second = new TestTerminal(stage, ["attach"]);
    // The frame may come a moment before the lines above it.
    await expect.poll(() => turnLines(second)).toEqual(shown);
    second.type(KEYS.escape);
    await second.shows(/interrupted · by you[\s\S]*› later/);
    expect(server.requests).toHaveLength(3);
  });
});
