import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { ChildRecord } from "../../../../src/core/store.ts";
import { random, times } from "../../../kit/counts.ts";
import { bench, hastyClock, hostileTree, type Bench } from "./spawning.ts";

/** A host in a process of its own, killed with `kill -9` when its children are up. Resolves with its ledger. */
async function doomedHost(at: Bench, hostId: string, scripts: readonly string[]): Promise<ChildRecord[]> {
  const host = spawn(
    process.execPath,
    [`${import.meta.dirname}/doomed-host.ts`, hostId, at.dir.path, ...scripts],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const exit = once(host, "exit");
  await createInterface(host.stdout)[Symbol.asyncIterator]().next();
  host.kill("SIGKILL");
  await exit;
  const lines = (await readFile(at.dir.at("ledger"), "utf8")).trim().split("\n");
  // Written by `doomed-host.ts` one line before.
  return lines.map((line) => JSON.parse(line) as ChildRecord);
}

test("nobody of a killed host's trees survives the next host's sweep", async () => {
  await using at = await bench({ clock: hastyClock });
  const number = random(2);
  const hosts = times(100);
  let trees = 0;
  let survivors = 0;
  for (let i = 0; i < hosts; i += 1) {
    const scripts = Array.from({ length: 10 }, () => hostileTree(number));
    const hostId = `doomed-${i}`;
    const children = await doomedHost(at, hostId, scripts);
    expect((await at.alive()).length).toBeGreaterThanOrEqual(10);
    await at.spawner.reap({ hostId, children });
    survivors += (await at.alive()).length;
    trees += scripts.length;
  }
  expect(survivors).toBe(0);
  console.log(`${hosts} hosts with ${trees} trees killed, ${survivors} survivors`);
}, 900_000);

test("children that were never noted are found by their marker, and others are left alone", async () => {
  await using at = await bench({ clock: hastyClock });
  const other = await at.run("echo up; exec sleep 1000");
  await other.until("up");
  await doomedHost(at, "doomed", ["setsid sleep 1000 & echo up; sleep 1000"]);
  expect(await at.spawner.reap({ hostId: "doomed", children: [] })).toBeGreaterThanOrEqual(2);
  expect(await at.alive()).toEqual([other.child.pid]);
});

test("a process id that belongs to somebody else by now is left alone", async () => {
  await using at = await bench();
  const run = await at.run("echo up; sleep 1000");
  await run.until("up");
  const record = { pid: run.child.pid, session: "s1", label: "bash" };
  const boot = (await readFile("/proc/sys/kernel/random/boot_id", "latin1")).slice(0, 8);
  for (const startedAt of [`${boot}:1`, "another0:1"]) {
    expect(await at.spawner.reap({ hostId: "gone", children: [{ ...record, startedAt }] })).toBe(0);
  }
  expect(await at.alive()).toContain(run.child.pid);
});
