import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, symlink } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { judgeCommand } from "../../../../src/providers/tools/shell/judge.ts";
import { childEnvironment } from "../../../../src/providers/tools/spawn/environment.ts";
import { random, times } from "../../../kit/counts.ts";
import { scratch, type Scratch } from "../scratch.ts";

const CANARY = "outside-canary";

/** Pieces of command lines: what is harmless, what is not, and what makes the one out of the other. */
const PIECES = {
  command: (
    "ls cat head tail wc grep rg find sort uniq cut tr diff sed git echo printf test [ stat du file cd pwd tree date " +
    "mkdir touch cp mv tee xargs awk env command eval sh dd ln rm"
  ).split(" "),
  option: (
    "-n -l -r -R -L -o -i -e -f -c -s -v -z -d -t -k -1 -A -p -x -- -maxdepth -name -exec -delete -fprint -newer -print " +
    "--output --output=x --output=../out/x --include=* --pre --pre=touch --follow --ext-diff --textconv --no-index " +
    "--files0-from=x --compress-program=sh -ok -i.bak -exec=touch"
  ).split(" "),
  argument: (
    "a.txt b.txt src src/c.txt . .. ../out ../out/secret link link/secret inner inner/../../out/secret * src/* */* ?.txt " +
    "'*' \"a.txt\" a\\.txt 1,3p 's/a/b/w x' '1e touch y' {} + ; \\; foo status log diff show branch stash HEAD /dev/null " +
    "~ ~/x $HOME $PWD \"$OLDPWD\" $X '$X' $IFS new -"
  ).split(" "),
  glue: "&& || ; | > >> < 2> &> >| <> 2>&1 2>/dev/null \n & ( ) { } $( ) ` ' \" # ! \\ = X=1 >/dev/null >new >../out/x <a.txt".split(
    " ",
  ),
} as const;

async function workspace(): Promise<Scratch> {
  const dir = await scratch();
  await dir.write({
    "in/a.txt": "one\ntwo\nthree\n",
    "in/b.txt": "two\n",
    "in/src/c.txt": "see\n",
    "out/secret": `${CANARY}\n`,
    "home/x": `${CANARY}\n`,
  });
  await symlink(dir.at("out"), dir.at("in/link"));
  await symlink("src", dir.at("in/inner"));
  await promisify(execFile)("git", ["init", "-q", dir.at("in")]);
  return dir;
}

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

test("lines made of hostile pieces that are let pass change nothing and show nothing from outside", async () => {
  await using dir = await workspace();
  const number = random(3);
  const pick = (list: readonly string[]): string => list[Math.floor(number() * list.length)] ?? "";
  const before = await fingerprint(dir.path);
  const cwd = dir.at("in");
  const env = { ...childEnvironment(process.env), HOME: dir.at("home"), OLDPWD: dir.at("out"), PWD: cwd };
  const lines = times(60_000);
  let passed = 0;
  let ran = 0;
  const seen = new Set<string>();
  for (let i = 0; i < lines; i += 1) {
    const parts = [pick(PIECES.command)];
    for (let more = Math.floor(number() * 6); more > 0; more -= 1) {
      const kind = number();
      parts.push(
        pick(
          kind < 0.35
            ? PIECES.option
            : kind < 0.75
              ? PIECES.argument
              : kind < 0.9
                ? PIECES.glue
                : PIECES.command,
        ),
      );
    }
    const command = parts.join(number() < 0.9 ? " " : "");
    const judgement = await judgeCommand(command, {
      cwd,
      home: env.HOME,
      roots: [cwd],
      pid: process.pid,
      hostNames: ["node", "agent"],
      environment: env,
      platform: "linux",
    });
    if (judgement.verdict !== "allow") continue;
    passed += 1;
    if (seen.has(command)) continue;
    seen.add(command);
    ran += 1;
    const running = promisify(execFile)("bash", ["-c", command], { cwd, env, timeout: 20_000 });
    // What reads its input finds its end at once, as it does when the host runs it.
    running.child.stdin?.end();
    const { stdout, stderr } = await running.catch(
      // It may fail, as long as it does no harm.
      (error: { stdout?: string; stderr?: string }) => ({
        stdout: error.stdout ?? "",
        stderr: error.stderr ?? "",
      }),
    );
    const harm =
      stdout.includes(CANARY) || stderr.includes(CANARY) || (await fingerprint(dir.path)) !== before;
    expect(harm ? command : "no harm").toBe("no harm");
  }
  expect(ran).toBeGreaterThan(lines / 200);
  console.log(`${lines} lines, ${passed} let pass, ${ran} different ones run`);
}, 900_000);
