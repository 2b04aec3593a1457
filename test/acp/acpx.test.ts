import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CommandStage, WITHOUT_SANDBOX } from "../kit/command.ts";
import { reply, startModelServer } from "../kit/model-server/index.ts";

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const ACPX = path("node_modules/acpx/dist/cli.js");
const AGENT = `"${process.execPath}" "${path("bin/agent.js")}" acp`;
/** The same agent, without what is newer than the oldest clients. */
const OLD_AGENT = `"${process.execPath}" "${path("test/acp/programs/without-options.ts")}" ${AGENT}`;

interface Run {
  readonly child: ChildProcess;
  readonly end: Promise<{ readonly code: number | null; readonly said: string }>;
  /** Resolves when acpx has printed something. */
  printed(text: string): Promise<void>;
}

/** acpx as it comes from the registry, in a home of the test's own. */
const acpx = (stage: CommandStage, ...args: readonly string[]): Run =>
  start(stage, ["--agent", AGENT, ...args], { AGENT_HOME: stage.home, ...WITHOUT_SANDBOX });

function start(
  stage: CommandStage,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Run {
  const child = spawn(process.execPath, [ACPX, ...args], {
    cwd: stage.workspace,
    env: { PATH: process.env["PATH"], HOME: stage.folder, ...env },
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

describe("acpx, unmodified", () => {
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

  test("chooses a model the way that came before options", async () => {
    await using stage = new CommandStage();
    const old = (...args: readonly string[]) =>
      start(stage, ["--agent", OLD_AGENT, ...args], { AGENT_HOME: stage.home, ...WITHOUT_SANDBOX }).end;
    expect((await old("sessions", "new", "--name", "one")).code).toBe(0);
    try {
      const chosen = await old("--format", "json", "set", "model", "demo:demo", "-s", "one");
      expect(chosen).toMatchObject({ code: 0, said: expect.stringContaining("demo:demo") });
    } finally {
      await old("sessions", "close", "one");
    }
    const unknown = await old("--model", "nosuch", "exec", "hi");
    expect(unknown.said).toContain("Available models: demo:demo");
  });

  test("is started by what --bootstrap wrote for it, on the home that it was written for", async () => {
    await using stage = new CommandStage();
    await using model = await startModelServer({ answer: () => reply("from the configured model") });
    stage.configure(
      `model: { provider: local, base_url: "${model.url}/v1", default: own, api_mode: chat_completions }\n`,
    );
    expect((await stage.ask(["acp", "--bootstrap", "--ide", "acpx", "--write"])).code).toBe(0);
    // Nothing but the entry tells acpx where the home is.
    const { code, said } = await start(stage, ["agent", "exec", "hi"]).end;
    expect(said).toContain("from the configured model");
    expect(code).toBe(0);
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
      expect((await run(stage, "set-mode", "all", "-s", "one")).code).toBe(0);
      expect((await run(stage, "set", "model", "demo:demo", "-s", "one")).code).toBe(0);
    } finally {
      await run(stage, "sessions", "close", "one");
    }
  });
});
