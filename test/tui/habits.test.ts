import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string, more = ""): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\n${more}`;
const SHIFT_TAB = "\u001b[Z";

describe("keys that people bring", () => {
  test("Esc stops the turn, what it wrote stays, and what is being written too", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Half an"), waitAt(held)]), reply("Whole."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Half an");
    terminal.type("a draft");
    await terminal.shows("› a draft");
    terminal.type(KEYS.escape);
    await terminal.shows(/Half an[\s\S]*interrupted[\s\S]*› a draft/);
    held.open();
    terminal.type(KEYS.enter);
    await terminal.shows(/› a draft[\s\S]*Whole\./);
    expect(JSON.stringify(server.requests[1]?.body)).toContain("Half an");
  });

  test("Ctrl+C twice stops a turn and stays; twice without one leaves", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Busy."), waitAt(held)]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Busy.");
    terminal.type(KEYS.ctrl("c"));
    await terminal.shows("interrupted");
    terminal.type(KEYS.ctrl("c"));
    await terminal.shows("Ctrl+C once more leaves");
    terminal.type(KEYS.ctrl("c"));
    expect(await terminal.exit).toBe(0);
    held.open();
  });

  test("Ctrl+C and Esc with something typed in between are not two: nothing is left or lost", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("Heard."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    for (const word of ["wrong", "wrong again"]) {
      terminal.type(word);
      terminal.type(KEYS.ctrl("c"));
    }
    terminal.type(KEYS.paste("pasted "));
    terminal.type(KEYS.escape);
    await terminal.shows("Esc once more clears");
    terminal.type("stays");
    await terminal.shows("› pasted stays");
    terminal.type(KEYS.escape);
    await terminal.shows("Esc once more clears");
    terminal.type(KEYS.enter);
    await terminal.shows(/› pasted stays[\s\S]*Heard\./);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("pasted stays");
  });

  test("Esc twice on nothing goes back to before an earlier prompt, which comes into the composer", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("One."), reply("Two."), reply("Three."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    for (const [prompt, answer] of [
      ["first thing", "One."],
      ["second thing", "Two."],
    ] as const) {
      terminal.send(prompt);
      await terminal.shows(new RegExp(`${answer}[\\s\\S]*tokens[\\s\\S]*Ask anything`));
    }
    terminal.type(KEYS.escape);
    await terminal.shows("Esc once more goes back");
    terminal.type(KEYS.escape);
    await terminal.shows(
      /Go back to before[\s\S]*❯ {3}second thing[\s\S]*first thing[^\n]*takes back 2 turns/,
    );
    terminal.type(KEYS.down);
    await terminal.shows(/❯ {3}first thing/);
    terminal.type(KEYS.enter);
    await terminal.shows(/Took back 2 turns[\s\S]*› first thing/);
    terminal.type(" again\r");
    await terminal.shows(/› first thing again[\s\S]*Three\./);
    const asked = JSON.stringify(server.requests.at(-1)?.body);
    expect(asked).toContain("first thing again");
    expect(asked).not.toContain("second thing");
    expect(asked).not.toContain("One.");
  });

  test("two Esc that come at once are two", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.type(KEYS.escape + KEYS.escape);
    await terminal.shows("Nothing was asked in this session yet.");
    expect(terminal.text()).toContain("Go back to before a prompt");
  });

  test("while a turn runs Enter steers and Tab queues, or the other way round", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    const held = gate();
    server.script(reply([say("Busy."), waitAt(held)]), reply("Steered."), reply("Next."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Enter adds it to this turn, Tab sends it after");
    terminal.send("be brief");
    await terminal.shows("steering be brief");
    terminal.type(`afterwards${KEYS.tab}`);
    await terminal.shows("queued 1 afterwards");
    held.open();
    await terminal.shows(/» be brief[\s\S]*Steered\.[\s\S]*› afterwards[\s\S]*Next\.[\s\S]*tokens\n/);
    terminal.send("/display enter queue");
    await terminal.shows("enter: queue");
    const again = gate();
    server.script(reply([say("Busy again."), waitAt(again)]), reply("Steered."), reply("Last."));
    terminal.send("more");
    await terminal.shows(/Busy again\.[\s\S]*Enter sends it after this turn, Tab adds it/);
    terminal.send("later");
    await terminal.shows("queued 1 later");
    terminal.type(`now${KEYS.tab}`);
    await terminal.shows("steering now");
    again.open();
    await terminal.shows(/» now[\s\S]*› later[\s\S]*Last\./);
    expect(server.requests).toHaveLength(6);
  });

  test("what a turn did not read before it was stopped comes back", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Busy."), waitAt(held)]));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Busy.");
    terminal.send("be brief");
    await terminal.shows("steering be brief");
    terminal.type(`afterwards${KEYS.tab}`);
    await terminal.shows("queued 1 afterwards");
    terminal.type("and a draft");
    await terminal.shows("› and a draft");
    terminal.type(KEYS.escape);
    await terminal.shows(/› be brief\n\s*\n {2}afterwards\n\s*\n {2}and a draft/);
    held.open();
    expect(server.requests).toHaveLength(1);
  });

  test("Shift+Tab goes round the modes, and the status line says which; a plan is accepted and carried out", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(
      reply([callTool("write_file", { path: "a.txt", content: "a" })]),
      reply([callTool("present_plan", { plan: "# The plan\n\n1. Write a.txt" })]),
      reply([callTool("write_file", { path: "a.txt", content: "a" })]),
      reply("Written."),
    );
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/test-model · edits allowed/);
    for (const mode of ["plan", "all allowed", "ask", "edits allowed", "plan"]) {
      terminal.type(SHIFT_TAB);
      await terminal.shows(`test-model · ${mode} ·`);
    }
    terminal.send("write a");
    await terminal.shows(
      /⊘ [^\n]*a\.txt[\s\S]*1\. Write a\.txt[\s\S]*◆ A question[\s\S]*Shall I carry out this plan\?/,
    );
    await terminal.answer(1);
    await terminal.shows(/test-model · edits allowed/);
    await terminal.shows("Written.");
    expect(JSON.stringify(server.requests[1]?.body)).toContain("plan mode, which only reads");
  });
});

describe("keys of people who know a leader", () => {
  test("Tab on nothing goes to planning and back to the mode before", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows("edits allowed");
    for (const mode of ["plan", "all allowed", "ask"]) {
      terminal.type(SHIFT_TAB);
      await terminal.shows(` · ${mode} ·`);
    }
    for (const mode of ["plan", "ask", "plan"]) {
      terminal.type(KEYS.tab);
      await terminal.shows(` · ${mode} ·`);
    }
    expect(terminal.text()).toContain("Ask anything");
  });

  test("Ctrl+X shows what may follow; a letter does it, and what is typed after it goes into the composer", async () => {
    await using stage = new CommandStage();
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.type(KEYS.ctrl("x"));
    await terminal.shows(/Ctrl\+X and then[\s\S]*l sessions[\s\S]*n new session/);
    terminal.type("n");
    await terminal.shows(/New session\n[\s\S]*Ask anything/);
    terminal.type(KEYS.ctrl("x"));
    await terminal.shows("Ctrl+X and then");
    terminal.type("z");
    await terminal.shows("Ask anything");
    terminal.type(`${KEYS.ctrl("x")}l`);
    await terminal.shows("Sessions  type to search");
    terminal.type(KEYS.escape);
    await terminal.shows("Ask anything");
    terminal.send("/redo");
    await terminal.shows("is not played again");
    expect(terminal.text()).not.toContain("Unknown command");
  });
});

test("a number marks how to leave; the keys after Ctrl+X are all in a small window", async () => {
  await using stage = new CommandStage();
  const held = gate();
  await using server = await startModelServer();
  server.script(reply([say("Busy."), waitAt(held), say(" Done.")]));
  stage.configure(config(server.baseUrl));
  await using terminal = new TestTerminal(stage, [], { columns: 60, rows: 20 });
  await terminal.shows("test-model");
  terminal.send("go");
  await terminal.shows("Busy.");
  terminal.type(KEYS.ctrl("d"));
  await terminal.shows(/A turn runs here\.[\s\S]*❯ +Leave, and let it go on/);
  terminal.type("3");
  await terminal.shows(/❯ +Stay/);
  terminal.type(KEYS.enter);
  await terminal.shows("Write the next prompt");
  held.open();
  await terminal.shows(/Busy\. Done\.[\s\S]*Ask anything/);
  terminal.type(KEYS.ctrl("x"));
  await terminal.shows(/l sessions +p all that can be done[\s\S]*q leave/);
  expect(terminal.text()).toContain("h help");
});

describe("commands of one's own", () => {
  test("stream, are stopped with Ctrl+C, and go along with the next prompt unless they have two marks", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("I see."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("!echo begun; read never < <(sleep 1000)");
    await terminal.shows(/│ begun[\s\S]*Ask anything/);
    expect(terminal.text()).toContain("Ctrl+C stops");
    terminal.type(KEYS.ctrl("c"));
    await terminal.shows(/! echo begun[\s\S]*│ begun\n {2}stopped/);
    terminal.send("!!echo mine alone");
    await terminal.shows(/! echo mine alone[\s\S]*│ mine alone/);
    terminal.send("what happened?");
    await terminal.shows(/\(with ! echo begun;[\s\S]*I see\./);
    const asked = JSON.stringify(server.requests[0]?.body);
    expect(asked).toContain("begun\\n\\n(stopped by the user)");
    expect(asked).not.toContain("mine alone");
  });

  test("a file that is named goes into the prompt, and says so", async () => {
    await using stage = new CommandStage();
    writeFileSync(join(stage.workspace, "notes.md"), "The password is swordfish.");
    await using server = await startModelServer();
    server.script(reply("Read."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("sum up @notes.md please");
    await terminal.shows(/› sum up @notes\.md please\n\s+\(with notes\.md\)[\s\S]*Read\./);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("swordfish");
  });
});

test("the first frame leaves nothing behind: nothing is erased from the window's first cell, which tmux keeps", async () => {
  await using stage = new CommandStage();
  await using terminal = new TestTerminal(stage);
  await terminal.shows(/demo model answers[\s\S]*Ask anything/);
  expect(terminal.raw).toContain("\u001b[J");
  expect(terminal.raw).not.toContain("\r\u001b[J");
});
