import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

/** What would be felt afterwards if it were left on. */
function isSane({ screen, raw }: TestTerminal): void {
  const { bracketedPasteMode, mouseTrackingMode, sendFocusMode, synchronizedOutputMode } = screen.modes;
  expect({ bracketedPasteMode, mouseTrackingMode, sendFocusMode, synchronizedOutputMode }).toEqual({
    bracketedPasteMode: false,
    sendFocusMode: false,
    mouseTrackingMode: "none",
    synchronizedOutputMode: false,
  });
  expect(raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(raw.lastIndexOf("\u001b[?25l"));
  expect(screen.buffer.active.type).toBe("normal");
  // Each title that was kept is put back, each protocol of keys that was begun is ended.
  const count = (text: string): number => raw.split(text).length - 1;
  expect(count("\u001b[23;2t")).toBeGreaterThanOrEqual(count("\u001b[22;2t"));
  expect(count("\u001b[<u")).toBeGreaterThanOrEqual(count("\u001b[>1u"));
}

describe("the terminal is given back", () => {
  test("after SIGHUP in the middle of an answer, which goes on", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Working on it"), waitAt(held), say(" still")]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Working on it");
    terminal.kill("SIGHUP");
    await terminal.shows(
      /Working on it[\s\S]*goes on without this window[\s\S]*Go on with: agent --resume \S+/,
    );
    isSane(terminal);
    held.open();
    expect(await terminal.exit).toBe(0);
    expect((await stage.ask(["sessions", "show", "go"])).stdout).toContain("Working on it still");
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
  ])("after %s in the middle of an answer, with how to go on", async (signal, code) => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Working on it"), waitAt(held), say("never")]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Working on it");
    terminal.kill(signal);
    expect(await terminal.exit).toBe(code);
    isSane(terminal);
    expect(terminal.text()).toMatch(/Working on it[\s\S]*Go on with: agent --resume \S+/);
    expect((await stage.ask(["sessions"])).stdout).toContain("(Its process was told to end.)");
    held.open();
  });

  test("after an error that nobody caught, which is said below", async () => {
    await using stage = new CommandStage();
    const crash = join(stage.folder, "crash.mjs");
    // In the middle of asking the terminal something.
    const ask = 'process.stdout.write("\\u001b[5n"); throw new Error("a mistake of ours");';
    writeFileSync(crash, `process.on("SIGUSR2", () => { ${ask} });`);
    await using terminal = new TestTerminal(stage, [], { env: { NODE_OPTIONS: `--import=${crash}` } });
    await terminal.shows(/demo model answers/);
    terminal.send("count to 3");
    await terminal.shows(/tokens\n/);
    terminal.kill("SIGUSR2");
    expect(await terminal.exit).not.toBe(0);
    expect(terminal.raw).toContain("a mistake of ours");
    expect(terminal.raw).toMatch(/Go on with: agent --resume \S+/);
    expect(terminal.text()).not.toContain("[0n");
    isSane(terminal);
  });

  test("when there is no gateway to work on, with the reason and what to do on stderr", async () => {
    await using stage = new CommandStage();
    stage.configure("model: 7\n");
    await using terminal = new TestTerminal(stage, [], { own: true });
    expect(await terminal.exit).toBe(1);
    expect(terminal.text().replaceAll("\n", "")).toMatch(/agent: model in .*config\.yaml is/);
    isSane(terminal);
  });

  test("after Ctrl+C twice", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows(/demo model answers/);
    terminal.type(KEYS.ctrl("c") + KEYS.ctrl("c"));
    expect(await terminal.exit).toBe(0);
    isSane(terminal);
  });

  test("after Ctrl+D on nothing", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], { own: true });
    await terminal.shows(/demo model answers/);
    terminal.type(KEYS.ctrl("d"));
    expect(await terminal.exit).toBe(0);
    isSane(terminal);
  });
});

describe("a terminal that can show less", () => {
  test("gets no colours with NO_COLOR", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], { env: { NO_COLOR: "1" } });
    await terminal.shows(/demo model answers/);
    terminal.send("hello");
    await terminal.shows(/tokens\n/);
    // Finding control sequences is what this is for.
    // oxlint-disable-next-line no-control-regex
    expect(terminal.raw).not.toMatch(/\u001b\[[\d;]*(?:3[0-8]|9[0-7]|4[0-8])[\d;]*m/);
  });

  test("gets plain lines with TERM=dumb", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage, [], { env: { TERM: "dumb" } });
    await terminal.shows(/demo model answers[\s\S]*> /);
    expect(terminal.raw).not.toContain("\u001b[?2026h");
  });
});
