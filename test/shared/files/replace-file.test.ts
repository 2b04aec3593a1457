import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFile } from "../../../src/shared/files/replace-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "replace-file-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a file is made with its mode, then replaced, and nothing else is left", () => {
  const path = join(folder, "notes");
  replaceFile(path, "first", 0o600);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  replaceFile(path, new TextEncoder().encode("second"), 0o600);
  expect(readFileSync(path, "utf8")).toBe("second");
  expect(readdirSync(folder)).toEqual(["notes"]);
});

test("nothing is left when the file cannot be put in its place", () => {
  const path = join(folder, "taken");
  mkdirSync(path);
  expect(() => replaceFile(path, "first", 0o600)).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(["taken"]);
});

test("a link stays a link: its target is replaced", () => {
  const path = join(folder, "link");
  replaceFile(join(folder, "target"), "first", 0o600);
  symlinkSync("target", path);
  replaceFile(path, "second", 0o600);
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, "target"), "utf8")).toBe("second");
});
