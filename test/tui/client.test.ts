import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n`;

/** What is kept of drafts, as it is in the files. */
const drafts = ({ home }: CommandStage): readonly string[] => {
  const folder = join(home, "tui", "drafts");
  return existsSync(folder)
    ? readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"))
    : [];
};

describe("the terminal client", () => {
  test("answers, asks before it runs what could do harm, and leaves the terminal as it was", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "old.txt"), "x");
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("run `rm old.txt`");
    await terminal.shows(/Allow this\?[\s\S]*rm old\.txt[\s\S]*1 Allow once/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(true);
    await terminal.answer(1);
    // The turn is over, not only counting: leaving asks as long as it runs.
    await terminal.shows(/allowed once[\s\S]*✓ rm old\.txt[\s\S]*Ask anything/);
    expect(existsSync(join(stage.workspace, "old.txt"))).toBe(false);
    terminal.send("/quit");
    expect(await terminal.exit).toBe(0);
    expect(terminal.text()).toMatch(/Go on with: agent --resume \S+/);
    expect(terminal.screen.modes.bracketedPasteMode).toBe(false);
    expect(terminal.raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(terminal.raw.lastIndexOf("\u001b[?25l"));
  });

  test("shows an answer while it streams, and prints it once", async () => {
    await using stage = new CommandStage();
    const half = gate();
    await using server = await startModelServer();
    server.script(reply([say("First part.\n\nSecond "), waitAt(half), say("part, **bold**.")]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await half.reached;
    await terminal.shows(/First part\.\s+Second[\s\S]*Esc stops/);
    half.open();
    await terminal.shows(/Second part, bold\.[\s\S]*tokens\n/);
    expect(terminal.lines().filter((line) => line.includes("First part."))).toHaveLength(1);
    expect(terminal.lines().filter((line) => line.includes("Second part"))).toHaveLength(1);
  });

  test("Ctrl+C stops the turn, twice leaves", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Working on it"), waitAt(held), say("never")]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Working on it");
    terminal.type(KEYS.ctrl("c"));
    await terminal.shows(/interrupted · /);
    terminal.type(KEYS.ctrl("c") + KEYS.ctrl("c"));
    expect(await terminal.exit).toBe(0);
    held.open();
  });

  test("a paste never submits, and a long one is a chip that is sent whole", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("Got it."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.type(KEYS.paste("one\ntwo\n"));
    await terminal.shows(/› one\n {2}two/);
    terminal.type(KEYS.paste(Array.from({ length: 8 }, (_, index) => `line ${index}`).join("\n")));
    await terminal.shows("[Pasted #1: 8 lines]");
    terminal.type(KEYS.enter);
    await terminal.shows("Got it.");
    const { body } = server.requests[0] ?? {};
    expect(JSON.stringify(body)).toContain("one\\ntwo\\nline 0\\nline 1");
  });

  test("a prompt that is sent while a turn runs waits in sight, and comes back with ↑", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Busy."), waitAt(held)]), reply("Next."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("first");
    await terminal.shows("Busy.");
    terminal.type("second\t");
    await terminal.shows("queued 1 second");
    terminal.type(KEYS.up);
    await terminal.shows(/› second/);
    terminal.type(" thing\t");
    await terminal.shows("queued 1 second thing");
    held.open();
    await terminal.shows(/› second thing[\s\S]*Next\./);
    expect(server.requests).toHaveLength(2);
  });

  test("the caret stands where the next character will be, also among wide ones", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.type("añ漢字👩‍💻b");
    await terminal.shows("👩‍💻b");
    const row = terminal.rows().findIndex((line) => line.startsWith("› "));
    expect(terminal.cursor).toEqual({ x: 2 + 1 + 1 + 4 + 2 + 1, y: row });
    terminal.type(KEYS.left + KEYS.left);
    await terminal.until(() => terminal.cursor.x === 2 + 1 + 1 + 4, "the caret");
  });

  test("a paste whose end never comes is shown, sends nothing, and gives the keys back", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.type("\u001b[200~half of a paste");
    await terminal.shows("› half of a paste");
    terminal.type("\rand more\r");
    await terminal.shows(/› half of a paste\n {2}and more\n/);
    terminal.type(KEYS.ctrl("c"));
    await terminal.shows(/Ask anything/);
    terminal.send("after it");
    await terminal.shows("You said: after it");
    expect(terminal.text()).not.toContain("You said: half");
  });

  test("a prompt that is recalled sends what was pasted into it, also in another life and beside another paste", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("One."), reply("Two."), reply("Three."));
    stage.configure(config(server.baseUrl));
    const rows = (word: string): string => Array.from({ length: 30 }, () => word).join("\n");
    const lastPrompt = (): string => JSON.stringify(server.requests.at(-1)?.body);
    const chip = "› look: [Pasted #1: 30 lines]";
    await using first = new TestTerminal(stage);
    await first.shows("test-model");
    first.type(`look: ${KEYS.paste(rows("old"))}`);
    await first.shows(chip);
    first.type(KEYS.enter);
    await first.shows(/One\.[\s\S]*tokens[\s\S]*Ask anything/);
    first.type(KEYS.paste(rows("new")));
    await first.shows("› [Pasted #1: 30 lines]");
    first.type(KEYS.up);
    await first.shows(chip);
    first.type(KEYS.enter);
    await first.shows(/Two\.[\s\S]*tokens[\s\S]*Ask anything/);
    expect(lastPrompt().split("look: old\\nold")).toHaveLength(3);
    expect(lastPrompt()).not.toContain("[Pasted");
    expect(lastPrompt()).not.toContain("new\\nnew");
    first.send("/quit");
    await first.exit;

    await using second = new TestTerminal(stage);
    await second.shows("test-model");
    second.type(KEYS.up);
    await second.shows("› /quit");
    second.type(KEYS.up);
    await second.shows(chip);
    second.type(KEYS.enter);
    await second.shows("Three.");
    expect(lastPrompt()).toContain("look: old\\nold");
  });

  test("what was being written is there again after kill -9, with what was pasted", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("Seen."));
    stage.configure(config(server.baseUrl));
    await using first = new TestTerminal(stage, [], { own: true });
    await first.shows("test-model");
    const rows = Array.from({ length: 40 }, (_, row) => `row ${row}`).join("\n");
    first.type(`look at ${KEYS.paste(rows)}`);
    await expect.poll(() => drafts(stage)).toEqual([expect.stringContaining("row 39")]);
    first.kill("SIGKILL");
    await first.exit;
    await using second = new TestTerminal(stage, [], { own: true });
    await second.shows("› look at [Pasted #1: 40 lines]");
    expect(second.cursor.x).toBe("› look at [Pasted #1: 40 lines]".length);
    second.type(KEYS.enter);
    await second.shows("Seen.");
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("look at row 0\\nrow 1\\n");
    // What was sent, and recalled, is no draft.
    second.type(KEYS.up);
    await second.shows(/Seen\.[\s\S]*› look at \[Pasted/);
    // A window that leaves in order keeps at once what there is to keep.
    second.kill("SIGTERM");
    await second.exit;
    expect(drafts(stage)).toEqual([]);
  });

  test("a draft stays with its window, whatever another one does, and then with its session", async () => {
    await using stage = new CommandStage();
    await using first = new TestTerminal(stage, [], { own: true });
    await first.shows(/demo model answers/);
    first.send("the first thing");
    await first.shows(/You said: the first thing[\s\S]*Ask anything/);
    first.type("half a thought");
    await expect.poll(() => drafts(stage)).toHaveLength(1);
    await using second = new TestTerminal(stage, ["-c"], { own: true });
    await second.shows(/the first thing[\s\S]*Ask anything/);
    second.send("something else");
    await second.shows(/You said: something else[\s\S]*Ask anything/);
    expect(drafts(stage)).toEqual([expect.stringContaining("half a thought")]);
    first.kill("SIGKILL");
    await first.exit;
    await using other = new TestTerminal(stage);
    await other.shows(/agent -c goes on with[\s\S]*Ask anything/);
    // A draft would stand before it.
    other.type("new");
    await other.shows("› new");
    await using third = new TestTerminal(stage, ["-c"]);
    await third.shows("› half a thought");
  });
});
