import type { ToolContext, ToolSession } from "../../../core/index.ts";
import type { Machine } from "../machine.ts";
import { childEnvironment } from "../spawn/environment.ts";
import { findProgram } from "../spawn/find-program.ts";
import type { Spawner } from "../spawn/spawner.ts";
import { openWorkspace, type WorkspaceDirectory } from "../workspace/workspace.ts";
import type { BackgroundProcesses } from "./background.ts";
import type { CommandSites, JudgedCalls } from "./command-site.ts";

/** Settings and state that the terminal tools share. */
export interface TerminalTools {
  readonly machine: Machine;
  readonly spawner: Spawner;
  readonly background: BackgroundProcesses;
  readonly tempDir: string;
  /** Characters of a result. */
  readonly limit: number;
  /** Variables that commands may see beside the usual ones. */
  readonly environment?: readonly string[];
  /** Absolute real paths that are part of no workspace. */
  readonly apart: readonly string[];
  readonly home: string;
  readonly sites: CommandSites;
  readonly judged: JudgedCalls;
}

export function commandEnvironment({
  machine,
  environment,
}: TerminalTools): Readonly<Record<string, string>> {
  return childEnvironment(machine.env, environment);
}

/** The shell of this machine: bash, or what every system has. */
export function findShell(tools: TerminalTools): string {
  const path = commandEnvironment(tools)["PATH"];
  return findProgram("bash", path) ?? findProgram("sh", path) ?? "/bin/sh";
}

export function openCwd(
  cwd: string,
  session: ToolSession,
  { machine, apart }: TerminalTools,
): Promise<WorkspaceDirectory> {
  const { cwd: base, roots } = session;
  return openWorkspace({ cwd: base, roots, apart }, machine.platform).openDirectory(cwd);
}

/** The variables of a command beside those of every program: those that the person lets commands see, and the width. */
export function variablesFor(
  { columns }: Pick<ToolContext, "columns">,
  { machine, environment = [] }: TerminalTools,
): Readonly<Record<string, string>> {
  const shown = environment.flatMap((name) => {
    const value = machine.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(shown), ...widthFor(columns) };
}

/** The variable that tells programs how wide the terminal is in which somebody reads what they print. */
export const widthFor = (columns: number | undefined): Readonly<Record<string, string>> =>
  columns === undefined ? {} : { COLUMNS: String(columns) };
