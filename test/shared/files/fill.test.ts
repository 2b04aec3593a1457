import { execFileSync, spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
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

test("bytes are filled from a place of a file, as far as it goes", () => {
  writeFileSync(file, "0123456789");
  expect(filled(file, 4, 0)).toBe("4 0123");
  expect(filled(file, 4, 3)).toBe("4 3456");
  expect(filled(file, 4, 8)).toBe("2 89--");
  expect(filled(file, 4, 20)).toBe("0 ----");
  expect(filled(file, 0, 0)).toBe("0 ");
});

test("one filling goes on where the last one ended, and takes as many reads as it needs", () => {
  writeFileSync(file, "0123456789");
  const descriptor = openSync(file, "r");
  const parts = [4, 4, 4].map((length) => {
    const bytes = Buffer.alloc(length, "-");
    return `${fill(descriptor, bytes, null)} ${bytes.toString()}`;
  });
  closeSync(descriptor);
  expect(parts).toEqual(["4 0123", "4 4567", "2 89--"]);
  // A pipe holds less than that.
  const pipe = `${file}.pipe`;
  execFileSync("mkfifo", [pipe]);
  spawn("sh", ["-c", 'exec head -c 300000 /dev/zero > "$0"', pipe], { stdio: "ignore" });
  expect(filled(pipe, 300_001, null)).toBe(`300000 ${"\0".repeat(300_000)}-`);
});

test("what cannot be read is said", () => {
  expect(() => filled(folder, 4, 0)).toThrow("EISDIR");
});
