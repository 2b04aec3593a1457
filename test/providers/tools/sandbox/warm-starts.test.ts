import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { link, mkdir, readdir, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import type { SpawnRequest } from "../../../../src/providers/tools/spawn/spawner.ts";
import { engine, stage, type Stage, warmClock, why, withFirst } from "./sandbox-stage.ts";

/** Which of the programs that were started this one is: its mark is made when its walls are put up. */
const MARK = "echo ${AGENT_SPAWN##*.}";

const nextLook = (): Promise<void> => new Promise((resolve) => void systemClock.after(20, resolve, true));

/** Processes that work in a folder, as the system outside sees them; the first of each tree first. */
async function pidsIn(folder: string): Promise<readonly number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => "")));
  return pids.filter((_pid, index) => places[index] === folder).map(Number);
}

const aliveIn = async (folder: string): Promise<number> => (await pidsIn(folder)).length;

async function untilNobodyIn(folder: string): Promise<void> {
  while ((await aliveIn(folder)) > 0) await nextLook();
}

/** A stage whose walls for a second command stand. */
async function warmStage(
  request: Partial<SpawnRequest> = {},
  using = engine,
): Promise<Stage & { readonly warm: () => Promise<void>; readonly time: ReturnType<typeof warmClock> }> {
  const time = warmClock();
  const { warm } = time;
  const at = await stage({}, { clock: time.clock, using });
  await at.dir.write({ "ws/.env": "KEY=first-secret\n", "ws/sub/.keep": "" });
  const run: Stage["run"] = (script, more) => at.run(script, { warm: true, ...request, ...more });
  expect((await run(MARK)).text).toBe("1\n");
  await warm();
  return { ...at, run, warm, time };
}

// Skipped where the machine cannot build the walls; the reason is in the name.
describe.skipIf(engine === undefined)(`walls that were put up ahead ${why}`, () => {
  test.each(["perl", "python3"] as const)("take the next command, one after the other (%s)", async (name) => {
    await using at = await warmStage({}, withFirst(engine, name));
    expect((await at.run(MARK)).text).toBe("2\n");
    await at.warm();
    expect((await at.run(MARK)).text).toBe("4\n");
  });

  test("give a command all that it gets otherwise", async () => {
    await using at = await warmStage({ env: { SHOWN: "a b\nc" } });
    const words = ["-c", 'printf "[%s]" "$0" "$@"; pwd; echo "$SHOWN"; cat; ls /proc/self/fd; exit 7'];
    const args = [...words, "", "ü\n", "*", "'\"\\", ""];
    const mine = await at.run("", { args });
    expect(mine.text).toContain("[][ü\n][*]");
    expect(mine.exit.code).toBe(7);
    const cold = await at.run("", { args, warm: false });
    expect(mine.text).toBe(cold.text);
  });

  test("end with their command, whatever it did to stay, and tell of a signal", async () => {
    await using at = await warmStage();
    const { exit, text } = await at.run(`${MARK}; (setsid sleep 300 &); kill -KILL $$`);
    expect(text).toBe("2\n");
    expect(exit).toMatchObject({ code: 137, left: 0 });
    await at.spawner[Symbol.asyncDispose]();
    await untilNobodyIn(at.root);
  });

  test("are not used once a secret came, or another file took the place of a covered one", async () => {
    await using at = await warmStage();
    const env = at.dir.at("ws/.env");
    const read = `${MARK}; cat .env .env.local sub/.env 2>/dev/null`;
    const changes: readonly (() => Promise<void>)[] = [
      () => writeFile(at.dir.at("ws/.env.local"), "KEY=second-secret\n"),
      async () => {
        await writeFile(at.dir.at("ws/other"), "KEY=third-secret\n");
        await rename(at.dir.at("ws/other"), env);
      },
      async () => {
        // The same file comes back under its name, but its cover is gone.
        await link(env, at.dir.at("ws/kept"));
        await writeFile(at.dir.at("ws/other"), "KEY=fourth-secret\n");
        await rename(at.dir.at("ws/other"), env);
        await rename(at.dir.at("ws/kept"), env);
      },
      async () => {
        await rm(at.dir.at("ws/sub"), { recursive: true });
        await mkdir(at.dir.at("ws/sub"));
        await writeFile(at.dir.at("ws/sub/.env"), "KEY=fifth-secret\n");
      },
    ];
    let mark = 1;
    for (const change of changes) {
      await change();
      const { text } = await at.run(read);
      // One mark for the walls that were not used, one for those of the command.
      mark += 2;
      expect(text).toMatch(new RegExp(`^${mark}\n`));
      expect(text).not.toContain("KEY=");
      await at.warm();
    }
  });

  test("are not used by a command with other variables or in another folder", async () => {
    await using at = await warmStage();
    expect((await at.run(MARK, { env: { COLUMNS: "99" } })).text).toBe("3\n");
    await at.warm();
    expect((await at.run(MARK, { env: { COLUMNS: "99" }, cwd: at.dir.at("ws/sub") })).text).toBe("5\n");
  });

  test("are not used for a command that does not fit, which is started as usual", async () => {
    await using at = await warmStage();
    const long = `${MARK} # ${"x".repeat(40_000)}`;
    expect((await at.run(long)).text).toBe("3\n");
    expect((await at.run(MARK)).text).toBe("2\n");
  });

  test("show what was made in the workspace and the session's folder meanwhile", async () => {
    await using at = await warmStage();
    await at.dir.write({ "ws/new": "in the workspace\n" });
    await writeFile(join(at.sandbox.tempDir, "new"), "in the folder\n");
    const { text } = await at.run(`${MARK}; cat new /tmp/new; echo back > made`);
    expect(text).toBe("2\nin the workspace\nin the folder\n");
    expect(existsSync(at.dir.at("ws/made"))).toBe(true);
  });

  test("are judged like others: a hook that the command left is disarmed", async () => {
    await using at = await warmStage();
    const plant = "git init -q r; printf '#!/bin/sh\\n' > r/.git/hooks/pre-commit; chmod +x r/.git/hooks/*";
    const { exit, text } = await at.run(`${MARK}; ${plant}`);
    expect(text).toBe("2\n");
    expect(exit.sandbox?.disarmed.map(({ path }) => path)).toEqual([at.dir.at("ws/r/.git/hooks/pre-commit")]);
  });

  test("are taken down with their sandbox, which leaves nothing", async () => {
    await using at = await warmStage();
    expect(await aliveIn(at.root)).toBeGreaterThan(0);
    const { tempDir } = at.sandbox;
    await at.sandbox[Symbol.asyncDispose]();
    await untilNobodyIn(at.root);
    expect(existsSync(tempDir)).toBe(false);
  });

  test("are taken down with the host", async () => {
    await using at = await warmStage();
    expect(await aliveIn(at.root)).toBeGreaterThan(0);
    await at.spawner[Symbol.asyncDispose]();
    await untilNobodyIn(at.root);
  });

  test("are taken down with a host that has nothing else to do, which stays until they are", async () => {
    const program = fileURLToPath(new URL("./leaving-host.ts", import.meta.url));
    const host = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "pipe"] });
    const [[code], said, complaints] = await Promise.all([
      once(host, "exit"),
      text(host.stdout),
      text(host.stderr),
    ]);
    expect([code, said, complaints]).toEqual([0, "closed\n", ""]);
  });

  test("are taken down when nobody wants them for a minute", async () => {
    await using at = await warmStage();
    expect(await aliveIn(at.root)).toBeGreaterThan(0);
    at.time.expire();
    await untilNobodyIn(at.root);
    expect((await at.run(MARK)).text).toBe("3\n");
  });

  test("that are killed are no loss: the next command is started as usual", async () => {
    await using at = await warmStage();
    // The others end with the first.
    const [first = Number.NaN] = await pidsIn(at.root);
    process.kill(first, "SIGKILL");
    await at.time.gone();
    const { text, exit } = await at.run(MARK);
    expect([text, exit.code]).toEqual(["3\n", 0]);
  });
});
