import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { SpooledOutput } from "../../../../src/providers/tools/spawn/spooled-output.ts";
import { scratch } from "../scratch.ts";

const limits = { head: 10, tail: 20 };

test("short output stays in memory, long output is whole on the disk, without a name", async () => {
  await using dir = await scratch();
  await using output = new SpooledOutput({ limits, cap: 1000, tempDir: dir.path });
  await output.write(Buffer.from("0123456789"));
  await output.write(Buffer.from("0123456789"));
  expect(await output.spooled()).toBeUndefined();
  await output.write(Buffer.from("abcdefghijkl"));
  await output.write(Buffer.from("end"));
  const spooled = await output.spooled();
  expect(Buffer.from(spooled?.bytes ?? []).toString()).toBe("01234567890123456789abcdefghijklend");
  expect(spooled?.complete).toBe(true);
  expect(await readdir(dir.path)).toEqual([]);
});

test("beyond the cap only the beginning is on the disk, and it says so", async () => {
  await using dir = await scratch();
  await using output = new SpooledOutput({ limits, cap: 50, tempDir: dir.path });
  for (let i = 0; i < 100; i += 1) await output.write(Buffer.from("0123456789"));
  const spooled = await output.spooled();
  expect(spooled?.bytes.length).toBe(50);
  expect(spooled?.complete).toBe(false);
  expect(output.ends.total).toBe(1000);
});

test("a disk that takes nothing costs the middle, not the command", async () => {
  await using output = new SpooledOutput({ limits, cap: 50, tempDir: "/no/such/place" });
  for (let i = 0; i < 10; i += 1) await output.write(Buffer.from("0123456789"));
  expect(await output.spooled()).toBeUndefined();
  expect(output.ends.omitted).toBe(70);
});
