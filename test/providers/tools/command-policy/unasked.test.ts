import { appendFile, readFile, symlink } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  UNASKED_GIT,
  UNASKED_PROGRAMS,
} from "../../../../src/providers/tools/command-policy/unasked-programs.ts";
import { repository, unaskedStage, type UnaskedStage } from "./unasked-stage.ts";

let stage: UnaskedStage;

beforeAll(async () => {
  stage = await unaskedStage({
    "in/src/a.ts": "one TODO\ntwo\n",
    "in/src/deep/b.ts": "three\n",
    "in/README.md": "# read\nme\n",
    "in/package.json": '{"name": "x"}\n',
    "in/.env": "KEY=canary\n",
    "in/keys/id_rsa": "canary\n",
    "out/secret": "canary\n",
  });
  await symlink(stage.dir.at("out"), stage.dir.at("in/link"));
  await repository(stage.dir.at("in"));
  await appendFile(stage.dir.at("in/README.md"), "changed\n");
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** Lines that people type all day. */
const UNASKED = [
  "ls",
  "ls -la",
  "ls -la src",
  "ls -1 src/*",
  "ls src/deep",
  "pwd",
  "cat README.md",
  "cat package.json | head",
  "cat -n src/a.ts",
  "cat src/*.ts",
  "cat src/a.ts src/deep/b.ts",
  "head -n 5 README.md",
  "head -20 README.md",
  "tail -n 3 README.md",
  "tail -n +2 README.md",
  "wc -l src/a.ts",
  "wc -l src/*.ts | sort -n",
  "grep -rn TODO src",
  "grep -n 'one\\|two' src/a.ts",
  'grep -rn "TODO" src --include=*.ts',
  "grep -ri todo . | wc -l",
  "rg TODO",
  "rg -n TODO src",
  "rg --files | head -5",
  "rg -l -t ts TODO",
  "find . -name '*.ts'",
  'find src -type f -name "*.ts" | head -20',
  "find . -maxdepth 2 -type d",
  "find . -name node_modules -prune -o -name '*.ts' -print",
  "git status",
  "git status --short",
  "git status -sb",
  "git log --oneline -5",
  "git log -3 --stat",
  "git log --oneline | head -3",
  "git diff",
  "git diff --stat",
  "git diff HEAD",
  "git diff README.md",
  "git diff -- src README.md",
  "git show",
  "git show HEAD --stat",
  "git show HEAD:README.md",
  "git branch",
  "git branch --show-current",
  "git ls-files | wc -l",
  "git rev-parse --abbrev-ref HEAD",
  "git --no-pager log -1",
  "cd src && ls",
  "cd src && cat a.ts && ls deep",
  "cd src && git log --oneline -1",
  "echo hello",
  "echo 'a b' done",
  "sed -n '1,2p' README.md",
  "diff src/a.ts src/deep/b.ts",
  "du -sh src",
  "df -h",
  "which ls",
  "date",
  "date +%F",
  "whoami",
  "uname -a",
  "basename src/a.ts .ts",
  "stat README.md",
  "sort README.md | uniq -c",
  "cut -d: -f1 README.md",
  "ls missing 2>/dev/null",
  "ls missing 2>&1 | head -1",
  "true && echo yes || echo no",
];

describe("what people type all day runs unasked", () => {
  test.each(UNASKED)("%s", async (command) => {
    const ran = await stage.run(command);
    expect(ran, "is asked about").toBeDefined();
    expect(ran?.output).not.toContain("canary");
    expect(ran?.output).not.toMatch(/not found|invalid option|unrecognized|usage:/i);
  });
});

/** Each stands for a class of lines that did run programs, write, or leave the workspace. */
const ASKED = [
  // Interpreters, and questions for a version that load the project's code.
  'echo "touch x" | bash -v',
  "python3 -v < x.py",
  "zsh -v",
  "node --version",
  "npm -v",
  "cargo --version",
  "mvn --version",
  "ninja -v",
  "[ -v 'a[$(touch x)]' ]",
  "test -R x",
  // Names of files that become options, and operands that are written to.
  "find ''[-]d*",
  "find . -newer [+-]*",
  "find -* -print",
  "rg foo ''*",
  "sort ''[-]* a",
  "git diff ''[-]*",
  "git diff *",
  "uniq a b",
  "uniq a b*",
  // Options that write or start programs.
  "find . -delete",
  "find . -exec ls {} +",
  "find . -fprint x",
  "find -L . -name x",
  "rg --pre sh x",
  "rg --pre=sh x",
  "rg -z x",
  "rg -f list",
  "grep -f list x",
  "grep -R x .",
  "sort -o x README.md",
  "sort --compress-program=sh README.md",
  "sort -T . README.md",
  "tree -o x",
  "diff -l a b",
  "sed -n 'w x' README.md",
  "sed -n '1e touch x' README.md",
  "sed -i s/a/b/ README.md",
  "sed -n 1p -e1ex README.md",
  "tail -f README.md",
  "date -s now",
  "date 010101",
  "date -f x",
  "git -c core.pager=sh log",
  "git -C /tmp log",
  "git --git-dir=x log",
  "git log --output=x",
  "git log --show-signature",
  "git log --format=%G?",
  "git diff --ext-diff",
  "git diff --no-index a b",
  "git diff --outp=x",
  "git branch new",
  "git branch -D main",
  "git grep -O x",
  "git fetch",
  "git stash",
  // Assignments, variables, expansions, and redirections to files.
  "X=1 ls",
  "PATH=. ls",
  "printf 'aaaaa%n' PATH && ls $PATH",
  "export PATH=.",
  "read x",
  "ls $HOME",
  "ls ~",
  "ls ~root",
  "ls $(pwd)",
  "ls `pwd`",
  "ls > x",
  "ls >> x",
  "cat < README.md",
  "cat <<< x",
  "ls {a,b}",
  "ls & pwd",
  "(ls)",
  "! ls",
  "if ls; then pwd; fi",
  "[[ -f x ]]",
  "ls\npwd",
  "ls # comment",
  "ls \\\n-la",
  "./ls",
  "src/ls",
  "/tmp/ls",
  "eval ls",
  "command ls",
  "env ls",
  "sudo ls",
  "xargs ls",
  // Out of the workspace, and into secrets.
  "cat /etc/passwd",
  "cat ../out/secret",
  "cat src/../../out/secret",
  "cat link/secret",
  "ls link",
  "cat */secret",
  "ls ..",
  "ls /",
  "cd ..",
  "cd .. && ls",
  "cd link && ls",
  "cd && ls",
  "cd - && ls",
  "cd src; ls",
  "cd missing || cat ../out/secret",
  "cat .env",
  "cat .e*",
  "cat ./.env",
  "head keys/id_rsa",
  "cat keys/*",
  "grep KEY .env",
  "git show HEAD:.env",
  "git diff .env",
  "git diff /etc/passwd /etc/shadow",
  "stat /proc/self/environ",
  // What nobody listed.
  "touch x",
  "mkdir x",
  "cp a b",
  "mv a b",
  "rm a",
  "tee x",
  "awk 1 README.md",
  "jq . package.json",
  "curl example.com",
  "npm test",
  "make",
  "",
  "   ",
  "|",
  "ls |",
  "ls &&",
  "'",
  '"',
  "ls 'x",
  "ls \u200b",
  "ls \u202e",
];

describe("everything else is asked about", () => {
  test.each(ASKED)("%s", async (command) => {
    expect(await stage.line(command)).toBeUndefined();
  });
});

test("the page about approvals lists exactly these programs", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/approvals.md"), "utf8");
  const [, part = ""] = /## Commands that run unasked\n(.*?)\nThey may be joined/s.exec(page) ?? [];
  const [programs = "", git = ""] = part.split("and `git` with");
  const named = (text: string) => [...text.matchAll(/`([a-z-]+)[^`]*`/g)].map(([, name]) => name);
  expect(named(programs)).toEqual(Object.keys(UNASKED_PROGRAMS));
  expect(named(git)).toEqual(Object.keys(UNASKED_GIT));
});

test("folders with secrets are searched without them", async () => {
  for (const command of [
    "grep -rn KEY .",
    "grep -r canary .",
    "rg --hidden canary",
    "rg -uuu canary",
    "rg -g '*' -. canary",
  ]) {
    const ran = await stage.run(command);
    if (ran === undefined) continue;
    expect(ran.output, command).not.toContain("canary");
  }
  expect((await stage.run("grep -rn TODO ."))?.output).toContain("src/a.ts");
  expect((await stage.run("rg --hidden TODO"))?.output).toContain("a.ts");
});

test("programs are those outside the workspace, by their absolute paths", async () => {
  await stage.dir.write({ "in/bin/ls": "#!/bin/sh\ntouch ran\n" });
  const path = `${stage.dir.at("in/bin")}:/usr/bin:/bin:.`;
  expect(await stage.line("ls", { path })).toBe("exec /usr/bin/ls --");
  expect(await stage.line("ls", { path: stage.dir.at("in/bin") })).toBeUndefined();
});

test.each([["/"], ["the home folder"], ["a folder above it"]])("nothing is unasked in %s", async (kind) => {
  const root = kind === "/" ? "/" : kind === "the home folder" ? stage.dir.at("home") : stage.dir.path;
  expect(await stage.line("ls", { roots: [root], cwd: stage.dir.at("in") })).toBeUndefined();
});

test("the agent's home is part of no workspace", async () => {
  const apart = [stage.dir.at("in/src/deep")];
  expect(await stage.line("cat src/deep/b.ts", { apart })).toBeUndefined();
  expect(await stage.line("grep -r x .", { apart })).toBeUndefined();
  expect(await stage.line("cat src/a.ts", { apart })).toBeDefined();
});

test("git shows what it shows to a person", async () => {
  expect((await stage.run("git status --short"))?.output).toMatch(/^ M README.md$/m);
  expect((await stage.run("git diff --stat"))?.output).toContain("1 insertion(+)");
  expect((await stage.run("git log --oneline -1"))?.output).toMatch(/^[0-9a-f]{7} first$/m);
  expect((await stage.run("git branch --show-current"))?.output).toBe("main\n");
  expect((await stage.run("cd src && git status --short"))?.output).toContain("README.md");
  expect(await readFile(stage.dir.at("in/.git/config"), "utf8")).toContain("[core]");
});
