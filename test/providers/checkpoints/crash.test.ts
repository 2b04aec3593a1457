import { readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { random, times } from "../../kit/counts.ts";
import { runProgram } from "../../kit/run-program.ts";
import { command, lookFirst, makePlace, type Place, treeOf } from "./engine-kit.ts";

const PROGRAM = join(import.meta.dirname, "programs/doomed.ts");

/** Runs the program and kills it: at its word, and so many milliseconds later. */
async function killed(place: Place, args: readonly string[], afterMs = 0): Promise<void> {
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  const program = runProgram(PROGRAM, [place.home, place.root, ...args], (line) => {
    if (line === "ready") resolve();
  });
  await Promise.race([ready, program.end]);
  const { promise: later, resolve: now } = Promise.withResolvers<void>();
  setTimeout(now, afterMs);
  await later;
  program.process.kill("SIGKILL");
  await program.end;
}

test("a process that is killed in the middle of a command leaves all that is needed to go back", async () => {
  using place = makePlace();
  const { root, engine } = place;
  for (let number = 0; number < 10; number += 1) writeFileSync(join(root, `f${number}`), `old ${number}`);
  const before = treeOf(root);
  await killed(place, ["command"]);
  expect(readFileSync(join(root, "f0"), "utf8")).toBe("half done");
  const [turn] = await engine.turns("s");
  expect(turn?.files.length).toBe(20);
  const end = engine.restore({ session: "s", after: 9, cursor: 100, label: "rewind" });
  expect(end.conflicts).toEqual([]);
  expect(end.failed).toEqual([]);
  expect(treeOf(root)).toEqual(before);
});

test("what changed long after the process died is nobody's for certain", async () => {
  using place = makePlace();
  const { root } = place;
  for (let number = 0; number < 3; number += 1) writeFileSync(join(root, `f${number}`), "old");
  await killed(place, ["command"]);
  writeFileSync(join(root, "f1"), "mine");
  const soon = Date.now() / 1000 + 60;
  utimesSync(join(root, "f1"), soon, soon);
  const end = place.another().restore({ session: "s", after: 9, cursor: 100, label: "rewind" });
  expect(end.conflicts.map(({ path }) => path)).toEqual([join(root, "f1")]);
  expect(readFileSync(join(root, "f1"), "utf8")).toBe("mine");
  expect(readFileSync(join(root, "f0"), "utf8")).toBe("old");
});

test("a process that is killed in the middle of a restore leaves whole files, and the next restore ends it", async () => {
  const next = random(7);
  for (let round = 0; round < times(20); round += 1) {
    using place = makePlace();
    const { root, engine } = place;
    const files = Array.from({ length: 60 }, (_, number) => join(root, `f${number}`));
    for (const file of files) writeFileSync(file, "old\n".repeat(5000));
    lookFirst(engine, root);
    const before = treeOf(root);
    const at = command(place, { turn: "t1" }, () => {
      for (const file of files) writeFileSync(file, "new\n".repeat(5000));
      writeFileSync(join(root, "added"), "new");
    });
    const after = treeOf(root);
    await killed(place, ["restore", String(at)], next() * 60);
    const seen = treeOf(root);
    for (const [path, content] of Object.entries(seen).filter(([name]) => !name.endsWith(".tmp")))
      expect([before[path], after[path]]).toContain(content);
    const end = engine.restore({ session: "s", after: at - 1, cursor: 2000, label: "again" });
    expect(end.conflicts).toEqual([]);
    const left = Object.fromEntries(Object.entries(treeOf(root)).filter(([name]) => !name.endsWith(".tmp")));
    expect(left).toEqual(before);
  }
});
