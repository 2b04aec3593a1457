import type { ToolContext, ToolSession } from "../../../core/index.ts";
import type { Machine } from "../machine.ts";
import { classify } from "../shell/classify.ts";
import { parseShell } from "../shell/shell-parse.ts";
import { childEnvironment } from "../spawn/environment.ts";
import { findProgram } from "../spawn/find-program.ts";
import type { Spawner } from "../spawn/spawner.ts";
import { isUnder } from "../workspace/roots.ts";
import { openWorkspace, type WorkspaceDirectory } from "../workspace/workspace.ts";
import type { BackgroundProcesses } from "./background.ts";

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
}

/** Git looks without writing, without the network, and without running what a repository names. */
const LOOKING = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "core.fsmonitor",
  GIT_CONFIG_VALUE_0: "false",
};

export function commandEnvironment({
  machine,
  environment,
}: TerminalTools): Readonly<Record<string, string>> {
  return childEnvironment(machine.env, environment);
}

/** The shell of this machine: bash, or what every system has. */
export async function findShell(tools: TerminalTools): Promise<string> {
  const path = commandEnvironment(tools)["PATH"];
  return (await findProgram("bash", path)) ?? (await findProgram("sh", path)) ?? "/bin/sh";
}

export function openCwd(
  cwd: string,
  session: ToolSession,
  { machine }: TerminalTools,
): Promise<WorkspaceDirectory> {
  return openWorkspace(session, machine.platform).openDirectory(cwd);
}

/** Variables for one command. One that was let pass because it only reads gets no chance to do more. */
export function variablesFor(
  command: string,
  { session }: ToolContext,
  tools: TerminalTools,
): Readonly<Record<string, string>> {
  const { commands, unread } = parseShell(command);
  const onlyReads = unread.length === 0 && commands.every((simple) => classify(simple)?.creates === false);
  if (!onlyReads) return {};
  const entries = commandEnvironment(tools)["PATH"]?.split(":") ?? [];
  const outside = entries.filter((entry) => !session.roots.some((root) => isUnder(entry, root)));
  return { ...LOOKING, PATH: outside.join(":") };
}
