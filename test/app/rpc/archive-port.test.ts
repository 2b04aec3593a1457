import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { archivePort } from "../../../src/app/rpc/archive-port.ts";
import { CommandStage } from "../../kit/command.ts";

test("the newest records of subagents come first, and one that cannot be read is left out", async () => {
  await using stage = new CommandStage();
  const archive = archivePort(stage.home);
  const tree = { started_at: null, subagents: [{ id: "a" }, { id: "b" }] };
  for (const [session_id, finished_at] of [
    ["one", 900],
    ["two", 1000.5],
    ["one", 1e12],
    ["two", 30],
  ] as const) {
    await archive.saveTree({ ...tree, session_id, finished_at, label: `at ${finished_at}` });
  }
  const broken = join(stage.home, "spawn-trees", "two", "99999999_x.json");
  writeFileSync(broken, "{");
  const labels = async (sessionId: string | undefined, limit: number) =>
    (await archive.listTrees({ sessionId, limit })).map(({ label }) => label);
  expect(await labels(undefined, 2)).toEqual(["at 1000000000000", "at 1000.5"]);
  expect(await labels("two", 10)).toEqual(["at 1000.5", "at 30"]);
  expect(await labels("three", 10)).toEqual([]);
  const [newest] = await archive.listTrees({ sessionId: "one", limit: 1 });
  expect(newest).toMatchObject({ session_id: "one", finished_at: 1e12, count: 2 });
  expect(await archive.loadTree(newest?.path ?? "")).toMatchObject(tree);
  await expect(archive.loadTree("/etc/passwd")).rejects.toMatchObject({ code: "outside_workspace" });
});
