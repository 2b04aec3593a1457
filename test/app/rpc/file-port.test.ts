import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filePort } from "../../../src/app/rpc/file-port.ts";
import { handClock } from "../../kit/clock.ts";

test("what is proposed for a path is not from an agent's home that lies in the workspace", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-test-")));
  for (const path of ["src", "state", "state/skills"]) mkdirSync(join(folder, path));
  for (const path of ["src/a.ts", "state/config.yaml", "state/skills/b.md"])
    writeFileSync(join(folder, path), "x");
  const files = filePort({
    machine: { env: {}, platform: process.platform, execPath: "", argv: [], pid: 1, kill: () => true },
    clock: handClock(),
    apart: [join(folder, "state")],
  });
  const found = await files.walk(folder);
  expect(found).toContain("src/a.ts");
  expect(found.filter((path) => path.startsWith("state/") && path !== "state/")).toEqual([]);
  rmSync(folder, { recursive: true });
});

test("many who ask for a branch at once are told none that was over when they asked", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-test-")));
  const checkOut = (name: string): void =>
    writeFileSync(join(folder, ".git", "HEAD"), `ref: refs/heads/${name}\n`);
  mkdirSync(join(folder, ".git"));
  const files = filePort({
    machine: { env: {}, platform: process.platform, execPath: "", argv: [], pid: 1, kill: () => true },
    clock: handClock(),
    apart: [],
  });
  const asked: Promise<string>[] = [];
  const names = ["main", "one", "two"];
  for (const name of names) {
    checkOut(name);
    const first = files.branch(folder);
    asked.push(first, ...Array.from({ length: 20 }, () => files.branch(folder)));
    await first;
  }
  const told = await Promise.all(asked);
  const late = told.filter((name, place) => names.indexOf(name) < Math.floor(place / 21));
  expect(late).toEqual([]);
  checkOut("last");
  expect(await files.branch(folder)).toBe("last");
  rmSync(folder, { recursive: true });
});

test("a large tree is walked once for letters that come while it is read, and less often than a small one", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-test-")));
  const clock = handClock();
  const files = filePort({
    machine: { env: {}, platform: process.platform, execPath: "", argv: [], pid: 1, kill: () => true },
    clock,
    apart: [],
  });
  writeFileSync(join(folder, "one.ts"), "");
  const first = files.walk(folder);
  const others = [files.walk(folder), files.walk(folder)];
  // As if it took a second.
  clock.advance(1000);
  expect(await first).toEqual(["one.ts"]);
  for (const other of others) expect(await other).toBe(await first);
  writeFileSync(join(folder, "two.ts"), "");
  clock.advance(19_000);
  expect(await files.walk(folder)).toEqual(["one.ts"]);
  clock.advance(1001);
  expect(await files.walk(folder)).toEqual(["one.ts", "two.ts"]);
  clock.advance(5001);
  writeFileSync(join(folder, "three.ts"), "");
  expect(await files.walk(folder)).toContain("three.ts");
  rmSync(folder, { recursive: true });
});
