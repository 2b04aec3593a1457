import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repository, unaskedStage, type UnaskedStage } from "./unasked-stage.ts";

const CANARY = "canary-4711";

let stage: UnaskedStage;

beforeAll(async () => {
  stage = await unaskedStage({
    "in/a.txt": "a\n",
    "in/b.txt": "b\n",
    "in/dir/a.txt": "one\n",
    "in/other/a.txt": "two\n",
    "in/dir/.env": `KEY=${CANARY}\n`,
    "in/other/.env": "KEY=\n",
    "in/.ENV": `KEY=${CANARY}\n`,
    "in/Server.PEM": `${CANARY}\n`,
    "in/.aws/config": `${CANARY}\n`,
    "in/.env": `KEY=${CANARY}\n`,
    "in/options/-delete": "x\n",
    "in/options/sub/keep": "x\n",
    "out/secret": `${CANARY}\n`,
    "out/a.txt": `${CANARY}\n`,
  });
  const { dir } = stage;
  await mkdir(dir.at("in/leads"));
  await symlink(dir.at("out/a.txt"), dir.at("in/leads/a.txt"));
  await symlink(dir.at("out"), dir.at("in/link"));
  await repository(dir.at("in"));
  await writeFile(dir.at("in/.env"), `KEY=${CANARY}-new\n`);
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const git = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)("git", args, { cwd: stage.dir.at("in") })).stdout;

describe("secrets and files outside are not shown", () => {
  test.each([
    // In any case, and in folders of secrets.
    "grep -rn canary .",
    "grep -r canary . --include=*",
    "grep -rH canary . --exclude-dir=x",
    "rg -uuu canary",
    "rg -uuu canary -g '*'",
    "rg --hidden --no-ignore canary --iglob '.ENV'",
    // Two folders, or a file and a folder, are compared file by file.
    "diff dir other",
    "diff -u dir other",
    "diff a.txt leads",
    "diff leads a.txt",
    // A folder that was not entered is not where the next command runs.
    "ls missing && cd dir && ls || cat link/secret",
    "ls missing && cd dir && ls; cat link/secret",
    "cd dir && cd missing && ls || cat link/secret",
    // History.
    "git log -U3",
    "git log -U1 -1",
    "git log -p",
    "git log -pS KEY",
    "git log -L1,1:.env",
    "git show :/first",
    "git show HEAD^{/first}",
    "git show HEAD HEAD:a.txt",
    "git show HEAD:a.txt HEAD",
    "git show HEAD: HEAD",
    "git diff HEAD^{tree}: HEAD",
    "git show",
    "git diff",
    "git diff HEAD",
    "git diff HEAD -- .",
    "git diff HEAD -- '.en[v]'",
    "git diff HEAD -- ':(top)*'",
    "git show HEAD -- .aws",
    "git show HEAD:.aws/config",
    "git show HEAD:.ENV",
  ])("%s", async (command) => {
    const ran = await stage.run(command);
    expect(ran?.output ?? "").not.toContain(CANARY);
  });

  test("by the name of a blob", async () => {
    const [, blob = ""] = (await git("ls-files", "-s", ".env")).split(/\s/);
    const empty = (await git("hash-object", "-w", "a.txt")).trim();
    for (const command of [
      `git show ${blob}`,
      `git show HEAD ${blob}`,
      `git diff ${empty} ${blob}`,
      `git log -p ${blob}`,
    ])
      expect((await stage.run(command))?.output ?? "", command).not.toContain(CANARY);
  });
});

describe("names of files stay names", () => {
  test.each(["find ./-*", "find ./*", "find ././-*", "find -* -print", "ls ./-*", "sort ./*"])(
    "%s",
    async (command) => {
      const ran = await stage.run(`cd options && ${command}`);
      expect(ran?.output ?? "").not.toContain("unknown predicate");
      expect(await readdir(stage.dir.at("in/options"))).toEqual(["-delete", "sub"]);
    },
  );

  test.each(["uniq *", "uniq ?.txt", "uniq [ab].txt", "uniq -c *.txt"])("%s", async (command) => {
    await stage.run(command);
    expect(readFileSync(stage.dir.at("in/b.txt"), "utf8")).toBe("b\n");
  });
});

test("a format that starts gpg is asked about however it is written", async () => {
  for (const format of ["%G?", "%+G?", "%-GG", "% GG", "%<(9)%GG", "format:%+GS"])
    expect(await stage.line(`git log --format='${format}'`), format).toBeUndefined();
});

test("the shell and its programs come from outside the workspace, whatever PATH says", async () => {
  const place = { path: `${stage.dir.at("in/bin")}:/usr/bin:/bin` };
  await stage.dir.write({ "in/bin/bash": "#!/bin/sh\ntouch ran\n", "in/bin/ls": "#!/bin/sh\ntouch ran\n" });
  await chmod(stage.dir.at("in/bin/bash"), 0o755);
  await chmod(stage.dir.at("in/bin/ls"), 0o755);
  expect(await stage.line("ls", place)).toMatch(/^exec \/usr\/bin\/ls/);
  // A workspace that is named by a link holds the same programs.
  await symlink(stage.dir.at("in"), stage.dir.at("alias"));
  expect(await stage.line("ls", { ...place, roots: [stage.dir.at("alias")] })).toMatch(
    /^exec \/usr\/bin\/ls/,
  );
});

test("a home that a workspace leads to by a link is as wide as the home itself", async () => {
  const home = stage.dir.at("in");
  await symlink(stage.dir.path, stage.dir.at("way"));
  for (const roots of [[stage.dir.at("way")], [stage.dir.at("way/in")]])
    expect(await stage.line("ls", { home, roots }), roots[0]).toBeUndefined();
});

test("a line with endless names is asked about at once", async () => {
  const names = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`in/many/${at}`, ""]));
  await stage.dir.write(names);
  expect(await stage.line(`ls ${"many/* ".repeat(500)}`)).toBeUndefined();
  await rm(stage.dir.at("in/many"), { recursive: true });
});

describe("a git directory that leads elsewhere is not read", () => {
  test.each([
    ["refs/heads/stolen", "token"],
    ["objects/pack", "."],
    ["objects/aa", "."],
    ["rebase-merge/git-rebase-todo", "secret"],
    ["logs/refs/heads", "."],
    ["info/exclude", "secret"],
  ])("%s", async (name, target) => {
    const path = stage.dir.at("linked/.git", name);
    await rm(stage.dir.at("linked"), { recursive: true, force: true });
    await stage.dir.write({ "linked/x": "x\n", "out/token": `${"a".repeat(40)}\n` });
    await repository(stage.dir.at("linked"));
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { recursive: true, force: true });
    const place = { cwd: stage.dir.at("linked"), roots: [stage.dir.at("linked")] };
    expect(await stage.line("git status", place)).toBeDefined();
    await symlink(stage.dir.at("out", target), path);
    expect(await stage.line("git status", place)).toBeUndefined();
  });

  test.each(["../out/secret", "/etc/passwd", ".git/config"])("an index that names %s", async (name) => {
    const root = stage.dir.at("crafted");
    await rm(root, { recursive: true, force: true });
    await stage.dir.write({ "crafted/x": "x\n" });
    await repository(root);
    const place = { cwd: root, roots: [root] };
    expect(await stage.line("git diff", place)).toBeDefined();
    await writeFile(`${root}/.git/index`, craftedIndex(name));
    const ran = await stage.run("git diff", place);
    expect(ran?.output ?? "").not.toMatch(/canary|root:x|\[core\]/);
    expect(await stage.line("git diff", place)).toBeUndefined();
  });
});

/** An index of version 2 with one entry, which git itself would not write. */
function craftedIndex(name: string): Buffer {
  const header = Buffer.from("DIRC\0\0\0\u0002\0\0\0\u0001", "latin1");
  const entry = Buffer.alloc(Math.ceil((62 + name.length + 1) / 8) * 8);
  entry.writeUInt32BE(0o100644, 24);
  Buffer.from("ce013625030ba8dba906f756967f9e9ca394464a", "hex").copy(entry, 40);
  entry.writeUInt16BE(name.length, 60);
  entry.write(name, 62, "latin1");
  // Twenty zeroes in place of the checksum say that there is none.
  return Buffer.concat([header, entry, Buffer.alloc(20)]);
}

test("nothing of all this is left behind", async () => {
  expect(await readdir(stage.dir.at("tmp"))).toEqual([".keep"]);
  expect(await readFile(stage.dir.at("in/a.txt"), "utf8")).toBe("a\n");
});
