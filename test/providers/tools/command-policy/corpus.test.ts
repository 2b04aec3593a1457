import { createHash } from "node:crypto";
import { appendFile, chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { random, times } from "../../../kit/counts.ts";
import { HARMFUL, HARMLESS, SPELLINGS } from "./corpus.ts";
import { repository, unaskedStage, type UnaskedStage } from "./unasked-stage.ts";

const CANARY = "outside-canary";

let stage: UnaskedStage;
let mark: string;
let before: string;

/** A program that leaves a mark and can be given as any program that a setting names. */
const trap = (): string => `#!/bin/sh\ntouch ${mark}\ncat\n`;

/** A tree in which everything that a program may load or obey is a trap. */
beforeAll(async () => {
  stage = await unaskedStage({
    "in/a.txt": "one\ntwo\nthree\n",
    "in/b.txt": "two\n",
    "in/src/c.txt": "see\n",
    "in/package.json": "{}\n",
    "in/list": "/etc/passwd\n",
    "in/.gitattributes": "*.txt diff=evil filter=evil merge=evil\n",
    "in/.env": `KEY=${CANARY}\n`,
    "out/secret": `${CANARY}\n`,
    "home/.config/git/config": "[core]\n\tpager = touch ran\n",
  });
  const { dir } = stage;
  mark = dir.at("in/ran");
  await writeFile(dir.at("in/RAN"), trap());
  await chmod(dir.at("in/RAN"), 0o755);
  for (const name of ["ls", "cat", "git", "sh", "less", "gpg", "ssh", "fsmonitor"]) {
    await writeFile(dir.at("in", name), trap());
    await chmod(dir.at("in", name), 0o755);
  }
  for (const name of ["-delete", "-exec", "--pre=sh", "-e1e RAN", "-o", "--output=ran"])
    await writeFile(dir.at("in", name.replaceAll("/", "_")), "x\n");
  await symlink(dir.at("out"), dir.at("in/link"));
  for (const nested of ["in/evil", "in/src/nested"]) {
    await mkdir(dir.at(nested), { recursive: true });
    await writeFile(dir.at(nested, "file.txt"), "x\n");
    await repository(dir.at(nested));
    await settings(dir.at(nested, ".git"));
  }
  await promisify(execFile)("git", ["init", "-q", "--bare", dir.at("in/bare.git")]);
  await settings(dir.at("in/bare.git"));
  await repository(dir.at("in"));
  await settings(dir.at("in/.git"));
  await appendFile(dir.at("in/a.txt"), "four\n");
  before = await fingerprint(dir.at("in"));
});

/** Settings, hooks and attributes of a repository that all start the trap. */
async function settings(git: string): Promise<void> {
  const run = stage.dir.at("in/RAN");
  await appendFile(
    `${git}/config`,
    [
      `[core]\n\tfsmonitor = ${run}\n\tpager = ${run}\n\teditor = ${run}\n\tsshCommand = ${run}\n\thooksPath = ${git}/hooks\n\tattributesFile = ${git}/info/attributes\n\talternateRefsCommand = ${run}`,
      `[diff]\n\texternal = ${run}\n[diff "evil"]\n\ttextconv = ${run}\n\tcommand = ${run}`,
      `[filter "evil"]\n\tclean = ${run}\n\tsmudge = ${run}\n\tprocess = ${run}\n\trequired = true`,
      `[gpg]\n\tprogram = ${run}\n[log]\n\tshowSignature = true\n[status]\n\tsubmoduleSummary = true`,
      `[alias]\n\tstatus = !${run}\n\tlog = !${run}\n[pager]\n\tstatus = ${run}\n\tlog = ${run}\n\tdiff = ${run}\n\tshow = ${run}\n\tbranch = ${run}`,
      `[include]\n\tpath = ${git}/more\n[extensions]\n\tworktreeConfig = true\n[uploadpack]\n\tpackObjectsHook = ${run}\n[credential]\n\thelper = !${run}`,
      "",
    ].join("\n"),
  );
  await writeFile(`${git}/config.worktree`, `[core]\n\tfsmonitor = ${run}\n`);
  await writeFile(`${git}/more`, `[diff]\n\texternal = ${run}\n`);
  await mkdir(`${git}/info`, { recursive: true });
  await writeFile(`${git}/info/attributes`, "* diff=evil filter=evil\n");
  await mkdir(`${git}/hooks`, { recursive: true });
  for (const hook of [
    "post-index-change",
    "fsmonitor-watchman",
    "post-checkout",
    "pre-commit",
    "reference-transaction",
  ]) {
    await writeFile(`${git}/hooks/${hook}`, trap());
    await chmod(`${git}/hooks/${hook}`, 0o755);
  }
}

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** Everything in a tree that a command could have changed. */
async function fingerprint(path: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(path, { recursive: true })).sort()) {
    const stat = await lstat(`${path}/${name}`);
    hash.update(`${name}\0${stat.mode}\0${stat.size}\0${stat.ino}\0`);
    if (stat.isFile()) hash.update(await readFile(`${path}/${name}`));
  }
  return hash.digest("hex");
}

/** Carries a line out that was let pass. */
async function expectHarmless(command: string): Promise<boolean> {
  const ran = await stage.run(command);
  if (ran === undefined) return false;
  expect(ran.output, command).not.toContain(CANARY);
  expect(ran.output, command).not.toContain("root:x:0");
  expect(await fingerprint(stage.dir.at("in")), `${command} changed the tree`).toBe(before);
  return true;
}

test("lines from public write-ups, in all their spellings, are asked about or do nothing", async () => {
  const lines = [...new Set(HARMFUL.flatMap((line) => SPELLINGS.map((spell) => spell(line))))];
  expect(lines.length).toBeGreaterThan(1500);
  const passed: string[] = [];
  for (const line of lines) if (await expectHarmless(line)) passed.push(line);
  // Nothing of the plain corpus is let pass at all.
  expect(passed.filter((line) => HARMFUL.includes(line))).toEqual([]);
  console.log(`${lines.length} lines, ${passed.length} let pass`);
}, 300_000);

test("harmless lines run unasked among traps, and none of the traps goes off", async () => {
  for (const line of HARMLESS) expect(await expectHarmless(line), line).toBe(true);
});

/** Pieces of lines: what is harmless, what is not, and what makes the one out of the other. */
const PIECES = {
  command: (
    "ls cat head tail wc grep rg find sort uniq cut tr diff sed git echo printf stat du cd pwd tree date basename which " +
    "mkdir touch cp mv tee xargs awk env command eval sh dd ln rm test ["
  ).split(" "),
  option: (
    "-n -l -r -R -L -o -i -e -f -c -s -v -z -d -t -k -1 -A -p -x -- -maxdepth -name -exec -delete -fprint -newer -print " +
    "--output --output=x --output=../out/x --include=* --pre --pre=touch --follow --ext-diff --textconv --no-index --stat " +
    "--oneline --files0-from=x --compress-program=sh -ok -i.bak -exec=touch --cached --hidden -uuu"
  ).split(" "),
  argument: (
    "a.txt b.txt src src/c.txt . .. ../out ../out/secret link link/secret evil evil/file.txt bare.git * src/* */* ?.txt [-]* ''* " +
    "'*' \"a.txt\" a\\.txt 1,3p '1,2p' 's/a/b/w x' '1e touch y' {} + ; \\; foo status log diff show branch stash HEAD HEAD:.env .env " +
    "/dev/null ~ ~/x $HOME $PWD $X '$X' new - ls ./ls"
  ).split(" "),
  glue: "&& || ; | > >> < 2> &> >| <> 2>&1 2>/dev/null \n & ( ) { } $( ) ` ' \" # ! \\ = X=1 >/dev/null >new >../out/x <a.txt".split(
    " ",
  ),
} as const;

test("random lines made of hostile pieces that are let pass do nothing", async () => {
  const number = random(3);
  const pick = (list: readonly string[]): string => list[Math.floor(number() * list.length)] ?? "";
  const lines = times(20_000);
  const seen = new Set<string>();
  let ran = 0;
  for (let i = 0; i < lines; i += 1) {
    const parts = [pick(PIECES.command)];
    for (let more = Math.floor(number() * 6); more > 0; more -= 1) {
      const kind = number();
      const list =
        kind < 0.35
          ? PIECES.option
          : kind < 0.75
            ? PIECES.argument
            : kind < 0.9
              ? PIECES.glue
              : PIECES.command;
      parts.push(pick(list));
    }
    const command = parts.join(number() < 0.9 ? " " : "");
    if (seen.has(command)) continue;
    seen.add(command);
    if (await expectHarmless(command)) ran += 1;
  }
  expect(ran).toBeGreaterThan(lines / 500);
  console.log(`${lines} lines, ${ran} let pass and run`);
}, 900_000);
