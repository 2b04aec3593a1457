import { execFile, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type ForkRequest,
  ForkServer,
  NotForkedError,
} from "../../../../src/providers/tools/spawn/fork-server.ts";
import type { ForkedProcess } from "../../../../src/providers/tools/spawn/live-process.ts";
import { random, times } from "../../../kit/counts.ts";

/** A server that takes requests, and a folder; both are gone with the test. */
async function stage() {
  const started = ForkServer.start(process);
  if (started === undefined) throw new Error("There is no fork server here.");
  const folder = mkdtempSync(join(tmpdir(), "forks-"));
  onTestFinished(async () => {
    await started.close();
    rmSync(folder, { recursive: true });
  });
  expect(await started.ready()).toBe(true);
  const out = join(folder, "out");
  const start = (script: string, more: Partial<ForkRequest> = {}): Promise<ForkedProcess> => {
    const file = openSync(out, "w");
    const begun = started.start({
      file: "/bin/bash",
      args: ["-c", script],
      cwd: folder,
      env: { PATH: "/usr/bin:/bin" },
      descriptors: ["ignore", file, file],
      ...more,
    });
    return begun.finally(() => closeSync(file));
  };
  const run = async (script: string, more: Partial<ForkRequest> = {}) => {
    const ended = await exitOf(await start(script, more));
    return { ...ended, text: readFileSync(out, "utf8") };
  };
  return { server: started, folder, start, run };
}

const exitOf = (
  child: ForkedProcess,
): Promise<{ readonly code: number | null; readonly signal: string | null }> =>
  new Promise((resolve) => void child.once("exit", (code, signal) => resolve({ code, signal })));

/** The process id of the server: it is the parent of all that it starts. */
async function serverOf(child: ForkedProcess): Promise<number> {
  const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${child.pid}/stat`, "utf8")) ?? [];
  return Number(parent);
}

describe("a fork server", () => {
  test("gives the exit code of what it starts, or the signal that ended it", async () => {
    const at = await stage();
    expect(await at.run("exit 0")).toMatchObject({ code: 0, signal: null });
    expect(await at.run("exit 255")).toMatchObject({ code: 255, signal: null });
    expect(await at.run("kill -TERM $$")).toMatchObject({ code: null, signal: "SIGTERM" });
    expect(await at.run("kill -KILL $$")).toMatchObject({ code: null, signal: "SIGKILL" });
  });

  test("hands over arguments, variables and the folder byte by byte", async () => {
    const at = await stage();
    const odd = ["", " ", "two\nlines", '$x `y` "z" \'\\', "=", "üñ😀", "--", "x".repeat(100_000)];
    const text = `printf '%s|' "$@"; pwd -P`;
    const { text: said } = await at.run("", { args: ["-c", text, "bash", ...odd] });
    expect(said).toBe(`${odd.join("|")}|${at.folder}\n`);
    const env = { PATH: "/usr/bin:/bin", A: "b=c", EMPTY: "", MANY: "one\ntwo", "ODD-NAME": "x", ÜÑ: "😀" };
    const { text: variables } = await at.run("", { file: "/usr/bin/env", args: ["-0"], env });
    const named = variables.split("\0").filter((line) => line !== "");
    expect(named.sort()).toEqual(
      Object.entries(env)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    );
  });

  test("gives descriptors in their places, and none of its own", async () => {
    const at = await stage();
    const [first, second] = ["first", "second"].map((name) => join(at.folder, name));
    for (const name of [first, second])
      await promisify(execFile)("/bin/sh", ["-c", `echo ${name} > ${name}`]);
    const [out, three, four] = [join(at.folder, "mine"), first ?? "", second ?? ""].map((path, index) =>
      openSync(path, index === 0 ? "w" : "r"),
    );
    const descriptors = ["ignore", out ?? 0, out ?? 0, three ?? 0, four ?? 0] as const;
    const script = "cat <&3; cat <&4; for fd in /proc/$$/fd/*; do echo ${fd##*/}; done";
    await at.run(script, { file: "/bin/sh", descriptors });
    // Who started this process may have left it open files that every child gets.
    const stdio = ["ignore", "pipe", "pipe", three ?? 0, four ?? 0] as const;
    const { stdout } = spawnSync("/bin/sh", ["-c", script], { stdio: [...stdio], encoding: "utf8" });
    for (const descriptor of [out, three, four]) closeSync(descriptor ?? 0);
    const said = readFileSync(join(at.folder, "mine"), "utf8");
    expect(said.split("\n").slice(0, 5)).toEqual([first, second, "0", "1", "2"]);
    expect(said).toBe(stdout);
  });

  test("starts the leader of a session of its own, with no signal blocked or ignored", async () => {
    const at = await stage();
    const { text } = await at.run("cat /proc/self/stat; grep -E '^Sig(Blk|Ign)' /proc/self/status");
    const [, parent, , session] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    expect(session).toBe(parent);
    expect(text).toMatch(/SigBlk:\s+0+\nSigIgn:\s+0+\n/);
  });

  test("tells when a program began, also when that is over already", async () => {
    const at = await stage();
    const child = await at.start("exit 3");
    expect(child.stat).toMatch(new RegExp(String.raw`^${child.pid} \((?:bash|perl)\) `));
    expect(await exitOf(child)).toEqual({ code: 3, signal: null });
  });

  test("says why a program cannot be started, with the system's own code", async () => {
    const at = await stage();
    const codeOf = (more: Partial<ForkRequest>): Promise<unknown> =>
      at.start("", more).then(
        () => "started",
        (error: Error & { code?: string }) => error.code ?? error,
      );
    expect(await codeOf({ file: "/no/such" })).toBe("ENOENT");
    expect(await codeOf({ cwd: "/no/such" })).toBe("ENOENT");
    expect(await codeOf({ file: "/etc/passwd" })).toBe("EACCES");
    expect(await codeOf({ args: ["x".repeat(3_000_000)] })).toBe("E2BIG");
    expect(await codeOf({ args: ["a\0b"] })).toBeInstanceOf(NotForkedError);
    expect(await codeOf({ descriptors: ["ignore", 9999, 9999] })).toBeInstanceOf(NotForkedError);
    expect(await at.run("echo still here")).toMatchObject({ code: 0, text: "still here\n" });
  });

  test("starts many at a time, and mixes up none of their ends", async () => {
    const at = await stage();
    const pick = random(17);
    const codes = Array.from({ length: times(2000) }, () => Math.floor(pick() * 256));
    const ended = await Promise.all(
      codes.map(async (code) => {
        const descriptors = ["ignore", "ignore", "ignore"] as const;
        return await exitOf(await at.start(`exit ${code}`, { descriptors }));
      }),
    );
    expect(ended.map(({ code }) => code)).toEqual(codes);
  });

  test("that is killed ends what waits for it, and another one can be started", async () => {
    const at = await stage();
    const child = await at.start("sleep 1000");
    const ended = exitOf(child);
    process.kill(await serverOf(child), "SIGKILL");
    expect(await ended).toEqual({ code: null, signal: "SIGKILL" });
    expect([at.server.isOpen, at.server.isLost]).toEqual([false, true]);
    // Who started it ends what is left of it.
    expect(readlinkSync(`/proc/${child.pid}/cwd`)).toBe(at.folder);
    process.kill(-child.pid, "SIGKILL");
  });

  test("keeps a process that waits for a program, and no other", async () => {
    const program = `
      import { ForkServer } from ${JSON.stringify(new URL("../../../../src/providers/tools/spawn/fork-server.ts", import.meta.url).href)};
      const server = ForkServer.start(process);
      await server.ready();
      const descriptors = ["ignore", "ignore", "ignore"];
      const start = (...args) => server.start({ file: "/bin/sleep", args, cwd: "/", env: {}, descriptors });
      const [waited, left] = [await start("0.1"), await start("1000")];
      left.unref();
      waited.once("exit", (code) => console.log("over", code));
      process.on("exit", () => process.kill(left.pid, "SIGKILL"));`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program]);
    expect(stdout).toBe("over 0\n");
  });
});

test("there is no fork server where it cannot work", () => {
  expect(ForkServer.start({ ...process, pid: process.pid, env: {}, platform: "darwin" })).toBeUndefined();
});
