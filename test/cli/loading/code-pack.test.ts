import { execFileSync } from "node:child_process";
import {
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
  mkdirSync,
  renameSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { CodePack, replaceCodePack, replaceCodePackLater } from "../../../src/cli/loading/code-pack.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-pack-"));
  file = join(folder, "code", "run");
});
afterEach(() => rmSync(folder, { recursive: true }));

const CODES = new Map([
  ["core.cjs", Buffer.from("the core's code")],
  ["empty.cjs", Buffer.alloc(0)],
  ["tools.cjs", Buffer.from("the tools' code")],
]);

const write = (saves: number, codes: ReadonlyMap<string, Buffer>): void =>
  replaceCodePack(file, { saves, codes });

const contentOf = (pack: CodePack) =>
  Object.fromEntries(pack.names.map((name) => [name, pack.codeOf(name)?.toString()]));
const WHOLE = { "core.cjs": "the core's code", "empty.cjs": "", "tools.cjs": "the tools' code" };

test("what is written is read, also while another pack takes its place", () => {
  write(1, CODES);
  const pack = new CodePack(file);
  write(2, new Map([["core.cjs", Buffer.from("newer")]]));
  expect([pack.saves, contentOf(pack)]).toEqual([1, WHOLE]);
  const newer = new CodePack(file);
  expect([newer.saves, contentOf(newer)]).toEqual([2, { "core.cjs": "newer" }]);
  expect(newer.codeOf("tools.cjs")).toBeUndefined();
  for (const each of [pack, newer]) each.close();
  expect(pack.codeOf("core.cjs")).toBeUndefined();
});

test("a pack that is cut off anywhere, or is something else, holds nothing", () => {
  expect(new CodePack(file).names).toEqual([]);
  write(3, CODES);
  const whole = readFileSync(file);
  const others = [
    Buffer.from("{}"),
    Buffer.alloc(5000),
    Buffer.from([0xff, 0xff, 0xff, 0xff]),
    whole.subarray(1),
  ];
  const cut = Array.from(whole.keys(), (length) => whole.subarray(0, length));
  for (const bytes of [...cut, ...others]) {
    writeFileSync(file, bytes);
    const pack = new CodePack(file);
    expect([pack.saves, pack.names], bytes.toString("hex")).toEqual([0, []]);
    pack.close();
  }
});

test("it has its name once it is on the disk, also while the event loop goes on", async () => {
  const written = replaceCodePackLater(file, { saves: 2, codes: CODES });
  expect(new CodePack(file).names).toEqual([]);
  await written;
  expect(contentOf(new CodePack(file))).toEqual(WHOLE);
  expect(readdirSync(join(folder, "code"))).toEqual(["run"]);
});

test("where a pack cannot be put, nothing is left of it", async () => {
  mkdirSync(join(file, "full"), { recursive: true });
  await expect(replaceCodePackLater(file, { saves: 1, codes: CODES })).rejects.toThrow("EISDIR");
  expect(() => write(1, CODES)).toThrow("EISDIR");
  expect(readdirSync(join(folder, "code"))).toEqual(["run"]);
});

test("what is no file is neither read nor waited for", () => {
  mkdirSync(file, { recursive: true });
  expect(new CodePack(file).names).toEqual([]);
  rmSync(file, { recursive: true });
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", file]);
  expect(new CodePack(file).names).toEqual([]);
  rmSync(file);
  write(1, CODES);
  renameSync(file, `${file}-elsewhere`);
  symlinkSync(`${file}-elsewhere`, file);
  expect(new CodePack(file).names).toEqual([]);
});

// Only root can give a file away.
test.skipIf(process.getuid?.() !== 0)(
  "a pack that another user has written is not read, and nothing is written into a folder of his",
  () => {
    write(1, CODES);
    chownSync(file, 12_345, 12_345);
    expect(new CodePack(file).names).toEqual([]);
    const packs = join(folder, "code");
    chownSync(packs, 12_345, 12_345);
    expect(() => write(2, CODES)).toThrow("another user");
  },
);

test("what a process left that was killed while it wrote is removed, and not what is being written", () => {
  write(1, CODES);
  for (const partial of ["run.4711", "run.4712", "runs.4711"])
    writeFileSync(join(folder, "code", partial), "half");
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const partial of ["run.4711", "runs.4711"])
    utimesSync(join(folder, "code", partial), longAgo, longAgo);
  write(2, CODES);
  expect(readdirSync(join(folder, "code")).sort()).toEqual(["run", "run.4712", "runs.4711"]);
});
