import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import type { ChildRecord } from "../../../../src/core/ports/store.ts";
import { random, times } from "../../../kit/counts.ts";
import { scratch } from "../scratch.ts";
import { bench, hastyClock, hostileTree, type Bench } from "./spawning.ts";

/** The id of a host, of this run alone: others on the machine end what bears their own. */
const DOOMED = `doomed-${process.pid}`;

/** A host in a process of its own, killed with `kill -9` when its children are up. Resolves with its ledger. */
async function doomedHost(
  at: Bench,
  hostId: string,
  { scripts, reaper }: { readonly scripts: readonly string[]; readonly reaper?: string },
): Promise<ChildRecord[]> {
  const env = reaper === undefined ? process.env : { ...process.env, REAPER: reaper };
  const host = spawn(
    process.execPath,
    [`${import.meta.dirname}/doomed-host.ts`, hostId, at.dir.path, ...scripts],
    { stdio: ["ignore", "pipe", "inherit"], env },
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
  // The time after which one is given up stays: on a busy machine the system takes long to end some.
  await using at = await bench({ graceMs: 100 });
  const number = random(2);
  const hosts = times(100);
  let trees = 0;
  let survivors = 0;
  for (let i = 0; i < hosts; i += 1) {
    const scripts = Array.from({ length: 10 }, () => hostileTree(number));
    const hostId = `${DOOMED}-${i}`;
    const children = await doomedHost(at, hostId, { scripts });
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
  await doomedHost(at, DOOMED, { scripts: ["setsid sleep 1000 & echo up; sleep 1000"] });
  expect(await at.spawner.reap({ hostId: DOOMED, children: [] })).toBeGreaterThanOrEqual(2);
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

test("a killed host's trees end also where no other host comes", async () => {
  await using at = await bench();
  const other = await at.run("echo up; exec sleep 1000");
  await other.until("up");
  const reaper = `${import.meta.dirname}/../../../../src/app/reaper/main.ts`;
  await doomedHost(at, "watched", { scripts: ["setsid sleep 1000 & echo up; sleep 1000"], reaper });
  await expect.poll(() => at.alive()).toEqual([other.child.pid]);
});

test("a host that ends its children itself is followed by no reaper", async () => {
  await using dir = await scratch();
  const reaped = dir.at("reaped");
  {
    await using at = await bench({ reaper: ["touch", reaped] });
    await (
      await at.run("true")
    ).child.exited;
    expect(await runningWith(reaped)).toBe(1);
  }
  await expect.poll(() => runningWith(reaped)).toBe(0);
  await expect(readFile(reaped)).rejects.toMatchObject({ code: "ENOENT" });
});

/** How many processes have a word among their arguments. */
async function runningWith(word: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.split("\0").includes(word)).length;
}
