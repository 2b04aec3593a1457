import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FifoSupply } from "../../../../src/providers/tools/spawn/fifo-supply.ts";
import { runQuietly } from "../../../../src/providers/tools/spawn/launch.ts";
import { pipeFromChild } from "../../../../src/providers/tools/spawn/pipes.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "fifos-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const runWith = (env: Readonly<Record<string, string>>) => (file: string, args: readonly string[]) =>
  runQuietly({ file, args, cwd: "/", env }, undefined);
const env = { PATH: process.env["PATH"] ?? "" };
const run = runWith(env);
/** How many files of a folder this process has open, also such as have no name any more. */
const openIn = (folder: string): number =>
  readdirSync("/proc/self/fd").filter((fd) => targetOf(fd).startsWith(`${folder}/`)).length;

function targetOf(fd: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // It was open for the look at the folder alone.
    return "";
  }
}

/** What comes out of a pipe into which this text goes. */
async function through(fifos: FifoSupply, text: string): Promise<string | undefined> {
  const pipe = await pipeFromChild(fifos);
  if (pipe === undefined) return undefined;
  writeFileSync(pipe.childEnd, text);
  pipe.release();
  const pieces: Uint8Array[] = [];
  for await (const piece of pipe.host) pieces.push(Uint8Array.from(piece));
  return Buffer.concat(pieces).toString();
}

test.each(["linux", "darwin"])(
  "pipes made as on %s are each their own, and leave no name and no open file",
  async (platform) => {
    const tempDir = folder();
    const fifos = new FifoSupply({ tempDir, run, platform });
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    expect(await Promise.all(texts.map((text) => through(fifos, text)))).toEqual(texts);
    expect(readdirSync(tempDir)).toEqual([]);
    await fifos.close();
    expect(openIn(tempDir)).toBe(0);
    // Who is late gets one, and nothing stays of the others.
    expect(await through(fifos, "late")).toBe("late");
    expect(openIn(tempDir)).toBe(0);
  },
);

test("without a program that makes them there are none", async () => {
  const tempDir = folder();
  writeFileSync(join(tempDir, "mkfifo"), '#!/bin/sh\ntouch "$3"; exit 1\n', { mode: 0o755 });
  const broken = new FifoSupply({
    tempDir,
    run: runWith({ PATH: `${tempDir}:${env.PATH}` }),
    platform: "linux",
  });
  expect(await through(broken, "x")).toBeUndefined();
  expect(readdirSync(tempDir)).toEqual(["mkfifo"]);
});
