import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { reply, startModelServer } from "../../kit/model-server/index.ts";
import { KEYS, TestTerminal } from "../../tui/terminal.ts";

const MARK = "BANANAS ARE THE RULE HERE";

/** A stage with a model server, and a folder that has files for agents. */
async function stageWithFiles(more = "") {
  const stage = new CommandStage();
  const server = await startModelServer();
  stage.configure(`model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\n${more}`);
  writeFileSync(join(stage.workspace, "AGENTS.md"), MARK);
  const skill = join(stage.workspace, ".agents/skills/peel");
  mkdirSync(skill, { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\ndescription: Peels fruit\n---\nPeel.\n");
  return {
    stage,
    server,
    /** What the last request told the model of the folder. */
    told(): readonly boolean[] {
      const request = JSON.stringify(server.requests.at(-1)?.body);
      return [request.includes(MARK), request.includes("Peels fruit")];
    },
    async run(...args: readonly string[]) {
      server.script(reply("ok"));
      return await stage.ask(["run", "hi", ...args]);
    },
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("a new folder", () => {
  test("tells agent run nothing before somebody trusts it, and that is said", async () => {
    await using s = await stageWithFiles();
    const folder = realpathSync(s.stage.workspace);
    const first = await s.run();
    expect(first.stderr).toBe(
      `agent: Not read: AGENTS.md, .agents/skills of ${s.stage.workspace}, since nobody has said that this folder is trusted. \`agent trust add ${s.stage.workspace}\` does. --trust reads them this time.\n`,
    );
    expect(s.told()).toEqual([false, false]);
    expect(JSON.stringify(s.server.requests.at(-1)?.body)).toContain("the user has not said that they trust");
    expect((await s.run("--trust")).stderr).toBe("");
    expect(s.told()).toEqual([true, true]);
    await s.run();
    expect(s.told()).toEqual([false, false]);
    expect((await s.stage.ask(["trust", "add"])).stdout).toBe(`Trusted, with all in it: ${folder}\n`);
    expect((await s.run()).stderr).toBe("");
    expect(s.told()).toEqual([true, true]);
    expect((await s.stage.ask(["trust", "list"])).stdout).toBe(`trusted      ${folder}\n`);
    await s.stage.ask(["trust", "deny"]);
    expect((await s.run("--trust")).stderr, "what was decided needs no word").toBe("");
    expect(s.told()).toEqual([false, false]);
    expect((await s.stage.ask(["trust", "remove"])).stdout).toBe(`Forgotten: ${folder}\n`);
    expect((await s.stage.ask(["trust"])).stdout).toBe("No folder was decided about.\n");
  });

  test("is read when the owner's setting says so", async () => {
    await using s = await stageWithFiles("trust:\n  new_folders: trusted\n");
    expect((await s.run()).stderr).toBe("");
    expect(s.told()).toEqual([true, true]);
  });

  test("does not speak through a link that came into a trusted one", async () => {
    await using s = await stageWithFiles();
    const trusted = join(s.stage.folder, "trusted");
    mkdirSync(trusted);
    await s.stage.ask(["trust", "add", trusted]);
    rmSync(join(s.stage.workspace, "AGENTS.md"));
    writeFileSync(join(trusted, "AGENTS.md"), MARK);
    symlinkSync(s.stage.workspace, join(trusted, "sub"));
    await s.run();
    expect(s.told()).toEqual([false, false]);
  });

  test("is asked about in the terminal client, once; the answer counts from the next prompt", async () => {
    await using s = await stageWithFiles();
    await using terminal = new TestTerminal(s.stage);
    await terminal.shows(
      /Do you trust this folder\?[\s\S]*AGENTS\.md, \.agents\/skills[\s\S]*1 Trust this folder/,
    );
    s.server.script(reply("First."));
    terminal.send("say one");
    await terminal.shows(/First\.[\s\S]*Do you trust/);
    expect(s.told()).toEqual([false, false]);
    await terminal.answer(1);
    await terminal.shows("This folder is trusted from now on.");
    await terminal.until(() => !terminal.text().includes("Do you trust"), "the answer");
    s.server.script(reply("Second."));
    terminal.send("again");
    // While the turn runs, leaving would be asked about.
    await terminal.shows(/Second\.[\s\S]*tokens\n/);
    expect(s.told()).toEqual([true, true]);
    terminal.type(KEYS.ctrl("d"));
    await terminal.exit;
    await using next = new TestTerminal(s.stage);
    await next.shows("Ask anything");
    expect(next.text()).not.toContain("Do you trust");
  });

  test("that is not trusted stays so, in other sessions too", async () => {
    await using s = await stageWithFiles();
    await using terminal = new TestTerminal(s.stage);
    await terminal.answer(2);
    await terminal.shows("This folder is not trusted");
    expect((await s.run()).stderr).toBe("");
    expect(s.told()).toEqual([false, false]);
  });

  test("keeps no pipe waiting in --plain, and is answered there by name", async () => {
    await using s = await stageWithFiles();
    s.server.script(reply("First."), reply("Second."));
    const { stdout, code } = await s.stage.ask(["--plain"], { stdin: "one\n/allow 1\ntwo\n" });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Question 1: do you trust this folder\?[\s\S]*First\.[\s\S]*trusted from now on[\s\S]*Second\./,
    );
    expect(s.told()).toEqual([true, true]);
  });
});
