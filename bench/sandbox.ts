import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/shared/async/clock.ts";
import { openSandbox, sandboxAvailability, testSandbox } from "../src/providers/tools/sandbox/index.ts";
import type { Sandbox } from "../src/providers/tools/sandbox/port.ts";
import { Spawner } from "../src/providers/tools/spawn/spawner.ts";
import { median, report } from "./figures.ts";

/** What walls around a command add to it: outside, in the plainest walls of `bwrap`, in ours; in a small and a large workspace. */
const base = await mkdtemp(join(tmpdir(), "bench-sandbox-"));
const tools = { machine: process, clock: systemClock };
const spawner = new Spawner({ ...tools, hostId: "bench", tempDir: base });
const never = new AbortController().signal;

async function once(file: string, args: readonly string[], sandbox?: Sandbox): Promise<number> {
  const cwd = join(base, "small");
  const started = performance.now();
  const child = await spawner.spawn({
    file,
    args,
    cwd,
    label: file,
    session: "",
    signal: never,
    output: () => undefined,
    sandbox,
  });
  await child.exited;
  return performance.now() - started;
}

const available = await sandboxAvailability({ ...tools, spawner, arch: process.arch });
if (!available.available || available.engine.kind !== "bubblewrap") {
  console.log("no sandbox here: nothing to measure");
} else {
  const { engine } = available;
  const [small, large] = [join(base, "small"), join(base, "large")];
  await mkdir(small);
  for (let folder = 0; folder < 1000; folder += 1) {
    const path = join(large, `f${folder % 50}`, `g${folder}`);
    await mkdir(path, { recursive: true });
    for (let file = 0; file < 20; file += 1) await writeFile(join(path, `file${file}.ts`), "");
  }
  const open = async (roots: readonly string[]): Promise<Sandbox> => {
    const policy = { roots, apart: [join(base, "agent")], home: join(base, "home"), tempDir: base };
    const opened = await openSandbox(engine, policy, tools);
    if (!opened.available) throw new Error(opened.reason);
    return opened.sandbox;
  };
  await mkdir(join(base, "agent"));
  const ours = await open([small]);
  const wide = await open([small, large]);
  const plain = [
    "--unshare-all",
    "--die-with-parent",
    "--ro-bind",
    "/",
    "/",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "true",
  ];
  const [outside, bare, inside, many]: number[][] = [[], [], [], []];
  for (let round = 0; round < 60; round += 1) {
    outside?.push(await once("true", []));
    bare?.push(await once(engine.file, plain));
    inside?.push(await once("true", [], ours));
    many?.push(await once("true", [], wide));
  }
  const of = (list: readonly number[] = []): number => median(list.slice(10));
  report("a command outside", of(outside), { unit: "ms" });
  report("bwrap true", of(bare), { unit: "ms" });
  report("a command inside", of(inside), { unit: "ms", floor: of(bare) });
  report("what the walls add", of(inside) - of(outside), { unit: "ms", floor: of(bare) - of(outside) });
  report("what they add with 20,000 files", of(many) - of(outside), {
    unit: "ms",
    floor: of(bare) - of(outside),
  });
  const policy = { roots: [], apart: [join(base, "agent")], home: join(base, "home"), tempDir: base };
  const tests = [];
  for (let round = 0; round < 9; round += 1)
    tests.push((await testSandbox(engine, policy, { ...tools, spawner })).took);
  report("the proof of the walls", median(tests), { unit: "ms" });
  await ours[Symbol.asyncDispose]();
  await wide[Symbol.asyncDispose]();
}
await spawner[Symbol.asyncDispose]();
await rm(base, { recursive: true, force: true });
