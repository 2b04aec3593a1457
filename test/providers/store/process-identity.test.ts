import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { isRunning, readIdentity } from "../../../src/providers/store/index.ts";

test("this process is running, and no other that had or will have its number", () => {
  const me = readIdentity(process.pid);
  expect(me).toMatchObject({ pid: process.pid, startedAt: expect.stringMatching(/^\d+$/) });
  expect(isRunning(me)).toBe(true);
  expect(readIdentity(process.pid)).toEqual(me);
  expect(isRunning({ ...me, startedAt: `${Number(me.startedAt) - 1}` })).toBe(false);
  expect(isRunning({ ...me, pid: 2 ** 22 + 1 })).toBe(false);
});

test("a process with an odd name is known by its start all the same", async () => {
  const child = spawn("sh", ["-c", "printf ') S 1 2 (' > /proc/$$/comm; echo ready; read line"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  const identity = readIdentity(child.pid ?? 0);
  expect(identity.startedAt).toMatch(/^\d+$/);
  expect(isRunning(identity)).toBe(true);
  child.stdin.end();
  await once(child, "close");
  expect(isRunning(identity)).toBe(false);
});

test("a zombie is dead", async () => {
  // The shell becomes a program that never asks what became of the shell's child, which ends only then: a shell asks itself.
  const parent = spawn("sh", ["-c", "exec 3<&0; cat <&3 & echo $!; exec sleep 1000 3<&-"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const [line] = await once(parent.stdout, "data");
  const program = (): string => readFileSync(`/proc/${parent.pid}/comm`, "utf8");
  while (program() !== "sleep\n") await nextTurn();
  parent.stdin.end();
  const pid = Number(String(line).trim());
  const stat = (): string => readFileSync(`/proc/${pid}/stat`, "utf8");
  while (!stat().includes(") Z ")) await nextTurn();
  const startedAt = stat().split(") ")[1]?.split(" ")[19] ?? "";
  expect(isRunning({ ...readIdentity(process.pid), pid, startedAt })).toBe(false);
  parent.kill("SIGKILL");
  await once(parent, "close");
});
