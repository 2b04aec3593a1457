import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";

/** A stage with one session, and how a command is typed in it. */
async function talked(stage: CommandStage) {
  const { stdout } = await stage.ask(["run", "--json", "count to 3"]);
  const id = /"session_id":"([^"]+)"/.exec(stdout)?.[1] ?? "";
  return { id, type: (command: string) => stage.ask(["run", "--session", id, command]) };
}

test("/export writes the conversation to a new file, and never over another one", async () => {
  await using stage = new CommandStage();
  const { id, type } = await talked(stage);
  expect((await type("/export")).stdout).toContain(`conversation-${id}.md`);
  const written = readFileSync(join(stage.workspace, `conversation-${id}.md`), "utf8");
  expect(written).toMatch(/^# count to 3\n\n## You\n\ncount to 3\n\n1 2 3\n$/);
  await type("/export talk.json");
  const json: unknown = JSON.parse(readFileSync(join(stage.workspace, "talk.json"), "utf8"));
  expect(json).toMatchObject({
    session_id: id,
    messages: [{ role: "user" }, { role: "assistant", text: "1 2 3" }],
  });
  const again = await type("/export talk.json");
  expect(again.code).not.toBe(0);
  expect(again.stderr).toContain("is in the way. Name another file");
});

test("/add-dir lets the session work in another folder, and names those that it works in", async () => {
  await using stage = new CommandStage();
  mkdirSync(join(stage.workspace, "beside"));
  const { type } = await talked(stage);
  expect((await type("/add-dir beside")).stdout).toMatch(/The agent works in .*beside too/);
  expect((await type("/add-dir")).stdout).toMatch(/works in:\n {2}\S+\n {2}\S+beside\n/);
  expect((await type("/add-dir nowhere")).stderr).toContain("There is no folder");
});

test("/doctor, /memory, /config and /logout say how things are and where", async () => {
  await using stage = new CommandStage();
  const { type } = await talked(stage);
  expect((await type("/doctor")).stdout).toMatch(/^ok +node [\s\S]*^ok +store/m);
  expect((await type("/memory")).stdout).toContain("About you (0 of");
  expect((await type("/config")).stdout).toContain(join(stage.home, "config.yaml"));
  expect((await type("/logout")).stdout).toContain(join(stage.home, ".env"));
});
