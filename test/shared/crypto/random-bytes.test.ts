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

test("a device that is not there, or gives too little, is none", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agent-random-"));
  try {
    await writeFile(join(folder, "short"), "1234567");
    const read = (name: string, count: number): boolean =>
      readFrom(join(folder, name), Buffer.allocUnsafe(count));
    expect([read("short", 7), read("short", 8), read("nowhere", 8)]).toEqual([true, false, false]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
