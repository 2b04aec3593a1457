import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { callTool, type ModelServer, reply, startModelServer } from "../../kit/model-server/index.ts";

/** Two turns of one session, the second of which changes a file and makes another. */
async function twoTurns(stage: CommandStage, server: ModelServer): Promise<string> {
  writeFileSync(join(stage.workspace, "old.txt"), "one\n");
  server.script(
    reply("Kept."),
    reply([
      callTool("edit_file", { path: "old.txt", old_text: "one", new_text: "two" }),
      callTool("write_file", { path: "new.txt", content: "fresh\n" }),
    ]),
    reply("Changed both."),
  );
  stage.configure(
    `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: test-model\napprovals:\n  mode: "off"\n`,
  );
  await stage.ask(["run", "the first"]);
  const [{ id = "" } = {}] = JSON.parse((await stage.ask(["sessions", "--json"])).stdout) as {
    id?: string;
  }[];
  await stage.ask(["run", "-r", id, "the second"]);
  expect(readFileSync(join(stage.workspace, "old.txt"), "utf8")).toBe("two\n");
  return id;
}

test("agent sessions rewind lists the turns, shows what one changed, and what going back would do", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  const id = await twoTurns(stage, server);
  const list = await stage.ask(["sessions", "rewind", id]);
  expect(list.stdout).toMatch(/^ +1 +\S+ +the first\n +2 +\S+ +the second +· 2 files \+2 -1\n$/);
  const diff = await stage.ask(["sessions", "rewind", id, "2", "--diff"]);
  expect(diff.stdout).toMatch(/-one\n\+two/);
  const preview = await stage.ask(["sessions", "rewind", id, "2", "--preview"]);
  expect(preview.stdout).toMatch(
    /^Nothing was changed\. It would be:\nTook back 1 turn of the conversation\.\n/,
  );
  expect(readFileSync(join(stage.workspace, "old.txt"), "utf8")).toBe("two\n");
});

test("it takes the conversation back, the files, or both, and names what was restored and what was removed", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  const id = await twoTurns(stage, server);
  const { workspace } = stage;
  const talk = await stage.ask(["sessions", "rewind", id, "2", "--scope", "conversation"]);
  expect(talk.stdout).toBe("Took back 1 turn of the conversation.\n");
  expect(existsSync(join(workspace, "new.txt"))).toBe(true);
  const { stdout } = await stage.ask(["sessions", "show", id]);
  expect([stdout.includes("Kept."), stdout.includes("Changed both")]).toEqual([true, false]);
  const files = await stage.ask(["sessions", "rewind", id, "2", "--scope", "files"]);
  expect(files.stdout).toBe(
    `Restored 1 file:\n  ${join(workspace, "old.txt")}\nRemoved 1 file:\n  ${join(workspace, "new.txt")}\n`,
  );
  expect(readFileSync(join(workspace, "old.txt"), "utf8")).toBe("one\n");
  expect(existsSync(join(workspace, "new.txt"))).toBe(false);
  expect(await stage.ask(["sessions", "rewind", id, "1", "--scope", "half"])).toMatchObject({ code: 2 });
  expect(await stage.ask(["sessions", "rewind", id, "9"])).toMatchObject({ code: 1, stdout: "" });
});

test("what somebody else changed since stays and is named, unless it is forced", async () => {
  await using stage = new CommandStage();
  await using server = await startModelServer();
  const id = await twoTurns(stage, server);
  const file = join(stage.workspace, "old.txt");
  writeFileSync(file, "mine\n");
  const end = await stage.ask(["sessions", "rewind", id, "2", "--json"]);
  const { turns, files } = JSON.parse(end.stdout) as { turns: number; files: Record<string, unknown> };
  expect({ turns, ...files }).toMatchObject({
    turns: 1,
    restored: [expect.stringMatching(/new\.txt$/)],
    removed: [expect.stringMatching(/new\.txt$/)],
    conflicts: [{ path: expect.stringMatching(/old\.txt$/) }],
  });
  expect(readFileSync(file, "utf8")).toBe("mine\n");
  await stage.ask(["sessions", "rewind", id, "2", "--scope", "files", "--force"]);
  expect(readFileSync(file, "utf8")).toBe("one\n");
});
