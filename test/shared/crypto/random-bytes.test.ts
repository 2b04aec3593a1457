import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { randomBytes, readFrom } from "../../../src/shared/crypto/random-bytes.ts";

test("random bytes are as many as asked for, and other ones each time", () => {
  expect([0, 1, 32, 100_000].map((count) => randomBytes(count).length)).toEqual([0, 1, 32, 100_000]);
  const all = Array.from({ length: 1000 }, () => randomBytes(16).toString("hex"));
  expect(new Set(all).size).toBe(1000);
  // Each value of a byte comes about 390 times in so many.
  const counts = new Uint32Array(256);
  for (const byte of randomBytes(100_000)) counts[byte] = (counts[byte] ?? 0) + 1;
  expect(Math.min(...counts)).toBeGreaterThan(250);
  expect(Math.max(...counts)).toBeLessThan(550);
});

test("a device that is not there, or gives too little, is none; nor is a file in its place", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agent-random-"));
  const read = (device: string, count: number): boolean => readFrom(device, Buffer.allocUnsafe(count));
  try {
    await writeFile(join(folder, "file"), "the same for all");
    expect([read("/dev/urandom", 8), read("/dev/null", 8)]).toEqual([true, false]);
    expect([read(join(folder, "file"), 8), read(join(folder, "nowhere"), 8)]).toEqual([false, false]);
    expect(read(folder, 8)).toBe(false);
  } finally {
    await rm(folder, { recursive: true });
  }
});
