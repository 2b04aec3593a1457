import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const ACPX = path("node_modules/acpx/dist/cli.js");
const AGENT = `"${process.execPath}" "${path("bin/agent.js")}" acp`;

interface Run {
  readonly child: ChildProcess;
  readonly end: Promise<{ readonly code: number | null; readonly said: string }>;
  /** Resolves when acpx has printed something. */
  printed(text: string): Promise<void>;
}

/** acpx as it comes from the registry, in a home of the test's own. */
function acpx(stage: CommandStage, ...args: readonly string[]): Run {
  const child = spawn(process.execPath, [ACPX, "--agent", AGENT, ...args], {
    cwd: stage.workspace,
    env: { PATH: process.env["PATH"], HOME: stage.folder, AGENT_HOME: stage.home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      for (const look of waiting) look();
    });
  const end = once(child, "close").then(([code]) => ({ code: code as number | null, said }));
  return {
    child,
    end,
    printed: (text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (said.includes(text)) resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

const run = (stage: CommandStage, ...args: readonly string[]) => acpx(stage, ...args).end;

describe("acpx, unmodified", { timeout: 120_000 }, () => {
  test("gets an answer", async () => {
    await using stage = new CommandStage();
    const { code, said } = await run(stage, "exec", "hi");
    expect(said).toContain("I am the built-in demo model");
    expect(code).toBe(0);
  });

  test("allows an edit, which it saves itself, and refuses one", async () => {
    await using stage = new CommandStage();
    stage.configure("approvals:\n  mode: manual\n");
    const allowed = await run(stage, "--approve-all", "exec", "write a.txt: hello");
    expect(allowed).toMatchObject({ code: 0, said: expect.stringContaining("fs/write_text_file") });
    expect(readFileSync(join(stage.workspace, "a.txt"), "utf8")).toBe("hello");
    const denied = await run(stage, "--deny-all", "exec", "write b.txt: hello");
    expect(denied).toMatchObject({ code: 5, said: expect.stringContaining("(failed)") });
    expect(existsSync(join(stage.workspace, "b.txt"))).toBe(false);
  });

  test("resumes a session, cancels a command in its own terminal, and goes on", async () => {
    await using stage = new CommandStage();
    expect((await run(stage, "sessions", "new", "--name", "one")).code).toBe(0);
    try {
      const first = await run(stage, "prompt", "-s", "one", "think");
      expect(first).toMatchObject({ code: 0, said: expect.stringContaining("session/resume") });
      const running = acpx(stage, "--approve-all", "prompt", "-s", "one", "run sleep 300");
      await running.printed("terminal/wait_for_exit");
      expect((await run(stage, "cancel", "-s", "one")).said).toContain("cancel requested");
      expect((await running.end).said).toContain("[done] cancelled");
      const next = await run(stage, "prompt", "-s", "one", "count to 5");
      expect(next).toMatchObject({ code: 0, said: expect.stringContaining("1 2 3 4 5") });
      expect((await run(stage, "set-mode", "yolo", "-s", "one")).code).toBe(0);
      expect((await run(stage, "set", "model", "demo:demo", "-s", "one")).code).toBe(0);
    } finally {
      await run(stage, "sessions", "close", "one");
    }
  });
});
