import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readlink, rm } from "node:fs/promises";
import { ownUser } from "../../../../src/providers/tools/sandbox/own-user.ts";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { engine, stage, why } from "./sandbox-stage.ts";

/** Processes that work in a folder, as the system outside sees them. */
async function aliveIn(folder: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      return cwd === folder ? [pid] : [];
    }),
  );
  return found.flat();
}

const nextLook = (): Promise<void> => new Promise((resolve) => void systemClock.after(20, resolve, true));

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await nextLook();
}

/** A host of its own that runs a script inside, and after a time is killed. */
async function doomed(
  script: string,
  before = "true",
): Promise<{ readonly root: string; readonly kill: () => Promise<void> }> {
  const program = fileURLToPath(new URL("./doomed-sandbox.ts", import.meta.url));
  const host = spawn(process.execPath, [program, script, before], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  host.stdout.on("data", (chunk: Buffer) => void (text += chunk.toString()));
  await until(() => Promise.resolve(text.includes("ready")));
  const root = text.replace("ready", "").trim();
  return {
    root,
    async kill() {
      const exited = once(host, "exit");
      host.kill("SIGKILL");
      // What it runs is told of its end before the system has closed its files.
      await exited;
      await until(async () => (await aliveIn(root)).length === 0);
    },
  };
}

/** All that programs do to be left alone. */
const STAYS =
  'trap "" TERM HUP INT; (setsid sh -c "trap \\"\\" TERM HUP; exec sleep 300" &) ; nohup sleep 301 > /dev/null & ';

// Skipped where the machine cannot build the walls; the reason is in the name.
describe.skipIf(engine === undefined)(`what runs inside ${why}`, () => {
  test("ends with the command, whatever it did to stay", async () => {
    await using at = await stage();
    const { exit } = await at.run(`${STAYS} echo over`);
    expect(exit).toMatchObject({ code: 0, left: 0 });
    await until(async () => (await aliveIn(at.root)).length === 0);
  });

  test("is told to end, and gets its time to do so", async () => {
    await using at = await stage();
    let text = "";
    const child = await at.spawner.spawn({
      file: "bash",
      args: ["-c", 'trap "echo cleaned; exit 3" TERM; echo up; while :; do sleep 0.05; done'],
      cwd: at.root,
      label: "bash",
      session: "s1",
      sandbox: at.sandbox,
      signal: new AbortController().signal,
      output: (chunk) => void (text += Buffer.from(chunk).toString()),
    });
    await until(() => Promise.resolve(text.includes("up")));
    await child.kill();
    await child.exited;
    expect(text).toContain("cleaned");
    expect(await aliveIn(at.root)).toEqual([]);
  });

  test("ends when the host is killed", async () => {
    const { root, kill } = await doomed(`${STAYS} echo up; sleep 302`);
    expect((await aliveIn(root)).length).toBeGreaterThan(0);
    await kill();
    expect(await aliveIn(root)).toEqual([]);
    await rm(dirname(root), { recursive: true });
  });

  test("is looked at by the next host when its own was killed, and the folder goes", async () => {
    const hook = "printf '#!/bin/sh\\n' > .git/hooks/post-index-change; chmod +x .git/hooks/*";
    const init = (name: string): string =>
      `git init -q ${name}; (cd ${name}; ${hook}); git -C ${name} config alias.x '!id'`;
    const { root, kill } = await doomed(`${init("made")}; echo up; sleep 303`, init("known"));
    await kill();
    const tempDir = join(dirname(root), "tmp");
    const hookOf = (name: string): string => join(root, name, ".git/hooks/post-index-change");
    const folders = async (): Promise<number> =>
      (await readdir(tempDir)).filter((name) => name.startsWith("agent-sandbox-")).length;
    // Its own, and that of the copy of /etc.
    expect(await folders()).toBe(2);
    expect(existsSync(hookOf("made"))).toBe(true);
    // A session of another workspace makes it right at once; one of this workspace tells of it.
    await using other = await stage({ tempDir });
    expect(existsSync(hookOf("made"))).toBe(false);
    expect((await other.run("true")).exit.sandbox?.disarmed).toEqual([]);
    await using next = await stage({ tempDir, roots: [root] });
    // They share a copy of /etc.
    expect(await folders()).toBe(3);
    const told = [(await next.run("true", { cwd: root })).exit, (await next.run("true", { cwd: root })).exit];
    expect(told.map(({ sandbox }) => sandbox?.disarmed.map(({ path }) => path))).toEqual([
      [join(root, "made/.git/config"), hookOf("made")],
      [],
    ]);
    expect(existsSync(hookOf("known"))).toBe(true);
    await other.sandbox[Symbol.asyncDispose]();
    await next.sandbox[Symbol.asyncDispose]();
    expect(await folders()).toBe(0);
    await rm(dirname(root), { recursive: true });
  });

  test("keeps its folder while its host lives, also when another host looks", async () => {
    const { root, kill } = await doomed(`echo up; sleep 304`);
    const tempDir = join(dirname(root), "tmp");
    await using at = await stage({ tempDir });
    await using other = await stage({ tempDir });
    await other.run("true");
    expect((await at.run("touch /tmp/there; ls /tmp")).text).toContain("there");
    const folders = (await readdir(tempDir)).filter((name) => name.startsWith("agent-sandbox-"));
    // Those of three sessions, and of two hosts' copies of /etc.
    expect(folders).toHaveLength(5);
    await kill();
    await rm(dirname(root), { recursive: true });
  });

  test("cannot fill the machine with processes", async () => {
    await using at = await stage({ limits: { processes: 60 } });
    // Says how many of 200 could not be started, while the others stay.
    const bomb = `perl -e '$|=1;for(1..200){my $p=fork;$e++ if !defined $p;if(defined $p&&!$p){sleep 60;exit}}printf "up %d\\n",$e;sleep 60'`;
    const failed = async (isInside: boolean): Promise<number> => {
      const life = new AbortController();
      let text = "";
      const request = { file: "bash", args: ["-c", bomb], cwd: at.root, label: "bash", session: "s1" };
      const child = await at.spawner.spawn({
        ...request,
        sandbox: isInside ? at.sandbox : undefined,
        signal: life.signal,
        output: (chunk) => void (text += Buffer.from(chunk).toString()),
      });
      await until(() => Promise.resolve(/up \d+\n/.test(text)));
      const alive = await aliveIn(at.root);
      if (isInside) expect(alive.length).toBeLessThanOrEqual(60);
      life.abort();
      await child.kill();
      return Number(/up (\d+)/.exec(text)?.[1]);
    };
    expect(await failed(false)).toBe(0);
    // Root's processes are bounded only where control groups can be written; where they cannot, the sandbox says so.
    if (at.sandbox.gaps.some((gap) => gap.includes("number of processes"))) return;
    expect(await failed(true)).toBeGreaterThan(130);
    await until(async () => (await aliveIn(at.root)).length === 0);
  });

  test("leaves no folder of the session behind", async () => {
    const at = await stage();
    await at.run("mkdir -p /tmp/a/b; chmod 0 /tmp/a");
    const { tempDir } = at.sandbox;
    expect(existsSync(tempDir)).toBe(true);
    await at.sandbox[Symbol.asyncDispose]();
    expect(existsSync(tempDir)).toBe(false);
    await at[Symbol.asyncDispose]();
  });

  test("is not the person's user where that is root", async () => {
    await using at = await stage();
    const { text } = await at.run("id -u");
    expect(text.trim()).toBe(String(ownUser().uid === 0 ? 65_534 : ownUser().uid));
  });
});
