import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fill } from "../../../src/shared/files/fill.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-fill-"));
  file = join(folder, "file");
});
afterEach(() => rmSync(folder, { recursive: true }));

function filled(path: string, length: number, start: number | null): string {
  const descriptor = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(length, "-");
    return `${fill(descriptor, bytes, start)} ${bytes.toString()}`;
  } finally {
    closeSync(descriptor);
  }
}

/** A pipe. Opening one end waits for the other one, but not where both are open already. */
function pipe(): { readonly read: number; readonly write: number } {
  const path = `${file}.pipe`;
  execFileSync("mkfifo", [path]);
  const both = openSync(path, constants.O_RDWR);
  const ends = { read: openSync(path, "r"), write: openSync(path, "w") };
  closeSync(both);
  return ends;
}

test("bytes are filled from a place of a file, as far as it goes", () => {
  writeFileSync(file, "0123456789");
  expect(filled(file, 4, 0)).toBe("4 0123");
  expect(filled(file, 4, 3)).toBe("4 3456");
  expect(filled(file, 4, 8)).toBe("2 89--");
  expect(filled(file, 4, 20)).toBe("0 ----");
  expect(filled(file, 0, 0)).toBe("0 ");
});

test("one filling goes on where the last one ended", () => {
  writeFileSync(file, "0123456789");
  const descriptor = openSync(file, "r");
  const parts = [4, 4, 4].map((length) => {
    const bytes = Buffer.alloc(length, "-");
    return `${fill(descriptor, bytes, null)} ${bytes.toString()}`;
  });
  closeSync(descriptor);
  expect(parts).toEqual(["4 0123", "4 4567", "2 89--"]);
});

test("one filling takes as many reads as it needs", async () => {
  const { read, write } = pipe();
  // A pipe holds less than that.
  const writer = spawn("head", ["-c", "300000", "/dev/zero"], { stdio: ["ignore", write, "ignore"] });
  const exit = once(writer, "exit");
  // From here on the pipe ends with its writer, also where that could not start.
  closeSync(write);
  const bytes = Buffer.alloc(300_001, "-");
  const filled = fill(read, bytes, null);
  closeSync(read);
  expect(await exit).toEqual([0, null]);
  expect(`${filled} ${bytes.toString()}`).toBe(`300000 ${"\0".repeat(300_000)}-`);
});

test("what cannot be read is said", () => {
  expect(() => filled(folder, 4, 0)).toThrow("EISDIR");
});
