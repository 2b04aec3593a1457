import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CommandEnd } from "./command-end.ts";
import { endWithTest } from "./end-with-test.ts";
import { type CommandProcess, runWarm } from "./warm-command.ts";

/** As `stdin`: it stays open. */
export const OPEN = Symbol("open");

/** The command's own file. */
export const BIN = fileURLToPath(new URL("../../bin/agent.js", import.meta.url));

/** Lets commands of the agent run outside, on every machine alike. */
export const WITHOUT_SANDBOX = { AGENT_TERMINAL_BACKEND: "local" } as const;

/** Milliseconds that a command may take to end before it is killed. */
const PATIENCE_MS = 3_000;

/** A running `agent`. */
export interface RunningCommand {
  readonly child: CommandProcess;
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
  readonly #serving: RunningCommand[] = [];

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
    return this.#follow(child, once(child, "close"), options);
  }

  run(
    args: readonly string[],
    options: { readonly stdin?: string; readonly node?: string; readonly cwd?: string } = {},
  ): Promise<CommandEnd> {
    return this.start(args, options).end;
  }

  /**
   * Starts a command in a process that was used before, where a test is about something else than the start and the end of
   * a process. That one loads nothing, which is most of the work of a command.
   */
  begin(
    args: readonly string[],
    options: { readonly stdin?: string | typeof OPEN; readonly cwd?: string } = {},
  ): RunningCommand {
    const { workspace, program, env } = this;
    // Node reads these when it starts, and another program is not loaded.
    if (program !== BIN || Object.keys(env).some((name) => name.startsWith("NODE_")))
      return this.start(args, options);
    const { child, closed } = runWarm({
      args,
      cwd: options.cwd ?? workspace,
      env: this.#wholeEnv(),
      program,
    });
    return this.#follow(child, closed, options);
  }

  /** Gives what a command says that was begun so. */
  ask(
    args: readonly string[],
    options: { readonly stdin?: string; readonly cwd?: string } = {},
  ): Promise<CommandEnd> {
    return this.begin(args, options).end;
  }

  /** Begins a command that serves until the stage is disposed. Then it ends in order, and its process serves others. */
  serve(args: readonly string[]): RunningCommand {
    const command = this.begin(args);
    this.#serving.push(command);
    return command;
  }

  #follow(
    child: CommandProcess,
    closed: Promise<readonly unknown[]>,
    { stdin = "" }: { readonly stdin?: string | typeof OPEN },
  ): RunningCommand {
    endWithTest(() => child.kill("SIGKILL"));
    const command = follow(child, closed);
    this.#running.add(command);
    void command.end.finally(() => this.#running.delete(command));
    if (stdin !== OPEN) child.stdin.end(stdin);
    return command;
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
    await Promise.all(this.#serving.map(endInOrder));
    for (const { child } of this.#running) child.kill("SIGKILL");
    await Promise.all([...this.#running].map(({ end }) => end));
    // A thread of a command that has ended may be about to close its files.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

async function endInOrder({ child, end }: RunningCommand): Promise<void> {
  child.end?.();
  const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  await end;
  clearTimeout(late);
}

function follow(child: CommandProcess, closed: Promise<readonly unknown[]>): RunningCommand {
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
  const end = closed.then(([code, signal]): CommandEnd => ({
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
