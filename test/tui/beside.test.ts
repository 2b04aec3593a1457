import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { callTool, gate, reply, say, startModelServer, waitAt } from "../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "./terminal.ts";

const config = (baseUrl: string): string =>
  `model:\n  provider: local\n  base_url: ${baseUrl}\n  default: test-model\napprovals:\n  mode: "off"\n`;
const ALT_UP = "\u001b[1;3A";

describe("what is beside the conversation", () => {
  test("queued prompts are moved, edited and dropped from their list", async () => {
    await using stage = new CommandStage();
    const held = gate();
    await using server = await startModelServer();
    server.script(reply([say("Busy."), waitAt(held)]), reply("One."), reply("Two."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows("Busy.");
    for (const text of ["first", "second", "third"]) {
      terminal.type(`${text}\t`);
      await terminal.shows(new RegExp(`queued \\d ${text}`));
    }
    terminal.send("/queued");
    await terminal.shows(/Queued prompts[\s\S]*❯ {3}first[\s\S]*third/);
    terminal.type(KEYS.down + KEYS.down);
    await terminal.shows(/❯ {3}third/);
    terminal.type(ALT_UP);
    await terminal.shows(/ {4}first[^❯]*❯ {3}third[^❯]* {4}second/);
    terminal.type(KEYS.up);
    await terminal.shows(/❯ {3}first/);
    terminal.type(KEYS.ctrl("d"));
    await terminal.until(() => !terminal.text().includes("first"), "the shorter list");
    await terminal.shows(/❯ {3}third/);
    terminal.type(KEYS.enter);
    await terminal.shows(/› third/);
    terminal.type(" thing\t");
    await terminal.shows(/queued 1 second[\s\S]*queued 2 third thing/);
    held.open();
    await terminal.shows(/› second[\s\S]*One\.[\s\S]*› third thing[\s\S]*Two\.[\s\S]*tokens\n/);
    expect(server.requests).toHaveLength(3);
  });

  test("subagents are listed while they work, with what they do, and can be stopped", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    const held = gate();
    server.script(
      reply([callTool("delegate", { goal: "Read every test" })]),
      reply([say("Reading."), waitAt(held)]),
      reply("It was stopped."),
    );
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows(/◦ Read every test/);
    terminal.send("/agents");
    await terminal.shows(/Subagents[\s\S]*❯ {3}Read every test/);
    terminal.type(KEYS.ctrl("o"));
    await terminal.shows(/^Read every test\n[\s\S]*test-model[\s\S]*› Read every test[\s\S]*Esc closes/m);
    terminal.type(KEYS.escape);
    await terminal.shows("Write the next");
    terminal.send("/agents");
    await terminal.shows(/Subagents[\s\S]*❯ {3}Read every test/);
    terminal.type(KEYS.ctrl("k"));
    await terminal.shows("No subagents run.");
    terminal.type(KEYS.escape);
    await terminal.shows(/It was stopped\.[\s\S]*tokens\n/);
    expect(terminal.lines().join("\n")).toMatch(/Subagent \w+: Read every test/);
    held.open();
  });

  test("changes are read whole", async () => {
    await using stage = new CommandStage();
    const before = Array.from({ length: 80 }, (_, index) => `line ${index}`).join("\n");
    writeFileSync(join(stage.workspace, "a.txt"), before);
    await using server = await startModelServer();
    const content = before.replaceAll("line", "row");
    server.script(reply([callTool("write_file", { path: "a.txt", content })]), reply("Done."));
    stage.configure(config(server.baseUrl));
    await using terminal = new TestTerminal(stage);
    await terminal.shows("test-model");
    terminal.send("go");
    await terminal.shows(/Done\.[\s\S]*tokens\n/);
    terminal.send("/diff");
    await terminal.shows(/Changes by tools, the newest first[\s\S]*-line 0/);
    terminal.type("G");
    await terminal.shows("+row 79");
    expect(terminal.text()).not.toContain("+row 20");
  });
});

describe("/setup", () => {
  test("asks where the model is, tries it and saves it", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer();
    server.script(reply("Hi."), reply("Hi."));
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("/setup");
    await terminal.shows(/where is it\?[\s\S]*OpenAI/);
    terminal.type("another address");
    await terminal.shows(/❯ {3}Another address/);
    terminal.type(KEYS.enter);
    await terminal.shows("Its address, as");
    terminal.send(server.baseUrl);
    await terminal.shows("The key; empty");
    terminal.type("hidden-key");
    await terminal.shows("› ••••••••••");
    terminal.type(KEYS.enter);
    await terminal.shows(/which one\?|The model's name/);
    if (terminal.text().includes("which one?")) terminal.type("test-model\r");
    else terminal.send("test-model");
    await terminal.shows("New sessions talk to");
    expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).toContain(server.baseUrl);
    expect(terminal.raw).not.toContain("hidden-key");
  });

  test("has what is found on top, and Enter takes it: its key is not asked for", async () => {
    await using stage = new CommandStage();
    await using server = await startModelServer({
      models: ["gpt-4o", "gpt-5.1", "gpt-5"],
      answer: () => reply("ok"),
    });
    stage.env["OPENAI_BASE_URL"] = server.baseUrl;
    stage.env["MISTRAL_API_KEY"] = "a-key-of-the-test-0123";
    stage.env["OPENAI_API_KEY"] = "a-key-of-the-test-0123";
    await using terminal = new TestTerminal(stage);
    await terminal.shows(/demo model answers/);
    terminal.send("/setup");
    await terminal.shows(
      /OpenAI {2,}its key is in OPENAI_API_KEY[\s\S]*Mistral {2,}its key is in[\s\S]*Anthropic/,
    );
    terminal.type("openai api");
    await terminal.shows(/❯ {3}OpenAI/);
    terminal.type(KEYS.enter);
    await terminal.shows(/which one\?[\s\S]*❯ {3}gpt-5\.1/);
    terminal.type(KEYS.enter);
    await terminal.shows("New sessions talk to openai:gpt-5.1");
    expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).toMatch(/provider: openai/);
  });
});
