import { type CommandSites, OUTSIDE_ONLY } from "../../../../src/providers/tools/terminal/command-site.ts";
import { type Clock, systemClock } from "../../../../src/shared/async/clock.ts";
import type { AnyTool, Permit, Tool } from "../../../../src/core/ports/tool.ts";
import { Spawner } from "../../../../src/providers/tools/spawn/spawner.ts";
import {
  BackgroundProcesses,
  type ProcessListener,
} from "../../../../src/providers/tools/terminal/background.ts";
import { processTool } from "../../../../src/providers/tools/terminal/process.ts";
import { terminalTool } from "../../../../src/providers/tools/terminal/terminal.ts";
import { type StageOptions, type ToolRun, type ToolStage, toolStage } from "../../../kit/tool-context.ts";
import { scratch, type Scratch } from "../scratch.ts";
import { aliveIn } from "../spawn/spawning.ts";

export interface TerminalStage extends AsyncDisposable {
  readonly dir: Scratch;
  readonly stage: ToolStage;
  readonly spawner: Spawner;
  readonly background: BackgroundProcesses;
  readonly tool: Tool;
  terminal(input: object): Promise<ToolRun>;
  process(input: object): Promise<ToolRun>;
  permit(tool: "terminal" | "process", input: object): Promise<Permit | undefined>;
  /** Processes whose working directory is the stage's. */
  alive(): Promise<readonly number[]>;
}

export async function terminalStage(
  options: {
    readonly clock?: Clock;
    readonly limit?: number;
    readonly columns?: number;
    readonly environment?: readonly string[];
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly answer?: StageOptions["answer"];
    /** Where commands run; outside by default. */
    readonly sites?: (parts: { readonly spawner: Spawner; readonly dir: Scratch }) => CommandSites;
    readonly onPreview?: StageOptions["onPreview"];
    readonly listener?: ProcessListener;
  } = {},
): Promise<TerminalStage> {
  const dir = await scratch();
  await dir.write({ "in/README.md": "hello\n", "tmp/.keep": "" });
  const { clock = systemClock, limit = 28_000, env = process.env, answer, onPreview } = options;
  const { platform, pid, execPath, argv } = process;
  const machine = {
    platform,
    pid,
    execPath,
    argv,
    env,
    kill: (to: number, signal: string | number) => process.kill(to, signal),
  };
  const tempDir = dir.at("tmp");
  const spawner = new Spawner({ machine, clock, hostId: `host-${dir.path.slice(-6)}`, tempDir });
  const background = new BackgroundProcesses(spawner, clock, options.listener);
  const tools = {
    machine,
    spawner,
    background,
    tempDir,
    limit,
    apart: [],
    home: "/home/me",
    sites: options.sites?.({ spawner, dir }) ?? OUTSIDE_ONLY,
    judged: { unasked: new WeakSet<object>(), inside: new WeakSet<object>() },
    ...(options.environment === undefined ? {} : { environment: options.environment }),
  };
  const table: Readonly<Record<"terminal" | "process", AnyTool>> = {
    terminal: terminalTool(tools),
    process: processTool(tools),
  };
  const stage = toolStage({
    cwd: dir.at("in"),
    clock,
    ...(answer === undefined ? {} : { answer }),
    ...(options.columns === undefined ? {} : { columns: options.columns }),
    ...(onPreview === undefined ? {} : { onPreview }),
  });
  return {
    dir,
    stage,
    spawner,
    background,
    tool: table.terminal,
    terminal: (input) => stage.run(table.terminal, input),
    process: (input) => stage.run(table.process, input),
    permit: (tool, input) => stage.permit(table[tool], input),
    alive: () => aliveIn(dir.path),
    async [Symbol.asyncDispose]() {
      await background[Symbol.asyncDispose]();
      await spawner[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}
