import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { processTable } from "../../../../src/providers/tools/spawn/process-table.ts";
import { killTree } from "../../../../src/providers/tools/spawn/process-tree.ts";

describe.each(["linux", "darwin"])("processes as %s shows them", (platform) => {
  const table = processTable(platform);

  test("are found with parent, group and start", async () => {
    const child = spawn("sleep", ["1000"], { detached: true });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const birth = await table.birth(pid);
    const entry = await table.find(pid);
    expect(entry).toMatchObject({ pid, parent: process.pid, group: pid, ...birth });
    expect((await table.list()).find((other) => other.pid === pid)).toEqual(entry);
    expect(table.birthOf(birth?.mark ?? "")).toEqual(birth);
    const exit = once(child, "exit");
    child.kill();
    await exit;
    expect(await table.find(pid)).toBeUndefined();
  });

  test("are ended as a whole group, whose leader may be gone", async () => {
    const child = spawn("bash", ["-c", "sleep 1000 & sleep 1000 & echo up"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const pid = child.pid ?? 0;
    const birth = await table.birth(pid);
    if (child.exitCode === null) await once(child, "exit");
    const inGroup = async () => (await table.list()).filter(({ group }) => group === pid);
    expect(await inGroup()).toHaveLength(2);
    const tree = { leader: { pid, birth: birth ?? { started: 0, mark: "" } }, isMarked: () => false };
    expect(await killTree(tree, { table, machine: process, clock: systemClock })).toEqual([]);
    expect(await inGroup()).toEqual([]);
  });
});

test("a variable is what it was when the process began", async () => {
  const child = spawn("sleep", ["1000"], { env: { ...process.env, MARK: "a b=c" } });
  await once(child, "spawn");
  const table = processTable("linux");
  expect(await table.variable(child.pid ?? 0, "MARK")).toBe("a b=c");
  expect(await table.variable(child.pid ?? 0, "ARK")).toBeUndefined();
  child.kill();
});
