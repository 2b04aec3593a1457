import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { CommandEnd } from "./command-end.ts";
import { runInSeries } from "./command-series.ts";
import { endWithTest } from "./end-with-test.ts";

/** As `stdin`: it stays open. */
export const OPEN = Symbol("open");

/** The command's own file. */
export const BIN = fileURLToPath(new URL("../../bin/agent.js", import.meta.url));

/** Lets commands of the agent run outside, on every machine alike. */
export const WITHOUT_SANDBOX = { AGENT_TERMINAL_BACKEND: "local" } as const;

/** A running `agent`. */
export interface RunningCommand {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly end: Promise<CommandEnd>;
  /** The lines of stdout so far. */
  readonly lines: readonly string[];
  /** Resolves with the first line that matches, which may have come already. */
  line(matches: (line: string) => boolean): Promise<string>;
}

/** A home and a workspace of a test's own, and the real command on them. */
export class CommandStage implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "agent-test-"));
  readonly home = join(this.folder, "home");
  readonly workspace: string;
  /** The command's file; that of this checkout by default. */
  program = BIN;
  /** Commands run as on a machine without a sandbox, whichever has one; tests of the sandbox take that out. */
  readonly env: Record<string, string> = { ...WITHOUT_SANDBOX };
  readonly #running = new Set<RunningCommand>();

  constructor() {
    this.workspace = mkdtempSync(join(this.folder, "work-"));
    mkdirSync(this.home, { mode: 0o700 });
  }

  /** Writes `config.yaml`. */
  configure(text: string): void {
    this.write("config.yaml", text);
  }

  /** The person has said that they trust the workspace, and what is beside it. */
  trust(): void {
    const folder = { path: realpathSync(this.folder), trusted: true, decidedAt: 0 };
    this.write("trusted-folders.json", JSON.stringify({ folders: [folder] }));
  }

  /** Writes a file of the home, which is made when it is not there. */
  write(name: string, text: string): void {
    mkdirSync(this.home, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.home, name), text, { mode: 0o600 });
  }

  start(
    args: readonly string[],
    options: { readonly stdin?: string | typeof OPEN; readonly node?: string; readonly cwd?: string } = {},
  ): RunningCommand {
    const child = spawn(options.node ?? process.execPath, [this.program, ...args], {
      cwd: options.cwd ?? this.workspace,
      env: this.#wholeEnv(),
      stdio: ["pipe", "pipe", "pipe"],
    });
    endWithTest(() => child.kill("SIGKILL"));
    const command = follow(child);
    this.#running.add(command);
    void command.end.finally(() => this.#running.delete(command));
    if (options.stdin !== OPEN) child.stdin.end(options.stdin ?? "");
    return command;
  }

  run(
    args: readonly string[],
    options: { readonly stdin?: string; readonly node?: string; readonly cwd?: string } = {},
  ): Promise<CommandEnd> {
    return this.start(args, options).end;
  }

  /**
   * Gives what a command says, without a process of its own: for what looks, or is refused, where a test is about something
   * else than the start and the end of a process.
   */
  ask(
    args: readonly string[],
    { cwd = this.workspace }: { readonly cwd?: string } = {},
  ): Promise<CommandEnd> {
    return runInSeries({ args, cwd, env: this.#wholeEnv() });
  }

  #wholeEnv(): Record<string, string> {
    const { PATH = "", TMPDIR } = process.env;
    return {
      PATH,
      HOME: this.folder,
      AGENT_HOME: this.home,
      ...(TMPDIR === undefined ? {} : { TMPDIR }),
      ...this.env,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#running) child.kill("SIGKILL");
    await Promise.all([...this.#running].map(({ end }) => end));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function follow(child: RunningCommand["child"]): RunningCommand {
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let stdout = "";
  let stderr = "";
  let rest = "";
  child.stdin.on("error", () => undefined);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const look of waiting) look();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const end = once(child, "close").then(([code, signal]): CommandEnd => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout,
    stderr,
  }));
  return {
    child,
    end,
    lines,
    line(matches) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const look = (): void => {
        const found = lines.find(matches);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void end.then(({ stderr: said }) =>
        reject(new Error(`The command ended before that line came. ${said}`)),
      );
      return promise;
    },
  };
}
