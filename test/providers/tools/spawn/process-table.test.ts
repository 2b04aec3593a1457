import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { defined } from "../../../../src/shared/json/defined.ts";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { processTable } from "../../../../src/providers/tools/spawn/process-table.ts";
import { killTree } from "../../../../src/providers/tools/spawn/process-tree.ts";

describe.each(["linux", "darwin"])("processes as %s shows them", (platform) => {
  const table = processTable(platform);

  test("are found with parent, group and start", async () => {
    const child = spawn("sleep", ["1000"], { detached: true });
    await once(child, "spawn");
    const pid = child.pid ?? 0;
    const { forks: _forks, ...birth } = (await table.birth(pid)) ?? { started: 0, mark: "" };
    const entry = await table.find(pid);
    expect(entry).toMatchObject({ pid, parent: process.pid, group: pid, ...birth });
    expect((await table.list()).find((other) => other.pid === pid)).toEqual(entry);
    expect(table.birthOf(birth.mark)).toEqual(birth);
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

test("only processes that may have begun since another one are looked at, all of them where the numbers may have begun anew", async () => {
  const older = spawn("sleep", ["1000"]);
  const leader = spawn("sh", ["-c", "sleep 1000 & wait"], { stdio: "ignore" });
  const [before = 0, pid = 0] = [older.pid, leader.pid];
  const table = processTable("linux");
  const birth = (await table.birth(pid)) ?? { started: 0, mark: "" };
  const pids = async (forks: number | undefined): Promise<readonly number[]> =>
    (await table.list({ pid, birth: { ...birth, ...defined({ forks }) } })).map((entry) => entry.pid);
  expect(birth.forks).toBeGreaterThan(0);
  const newer = await pids(birth.forks);
  // Ids may begin anew right here; then all are looked at.
  if (before < pid) expect(newer).not.toContain(before);
  expect(newer).toContain(pid);
  const { forks: _forks, ...unknown } = birth;
  expect((await table.list({ pid, birth: unknown })).map((entry) => entry.pid)).toContain(before);
  expect(await pids(-100_000_000)).toContain(before);
  older.kill();
  leader.kill();
  await Promise.all([once(older, "exit"), once(leader, "exit")]);
});

test("a variable is what it was when the process began", async () => {
  const child = spawn("sleep", ["1000"], { env: { ...process.env, MARK: "a b=c" } });
  await once(child, "spawn");
  const table = processTable("linux");
  expect(await table.variable(child.pid ?? 0, "MARK")).toBe("a b=c");
  expect(await table.variable(child.pid ?? 0, "ARK")).toBeUndefined();
  child.kill();
});
