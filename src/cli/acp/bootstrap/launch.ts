import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { defined } from "../../../shared/json/defined.ts";
import type { Io } from "../../../app/process/io.ts";

/** The command with which an editor starts the agent. Its paths are absolute: editors have no search path of a shell. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Only what this process was told itself, and no keys. */
  readonly env: Readonly<Record<string, string>>;
}

/** The command line that starts the agent as this process was started. */
export function launchOf({ machine, env, cwd }: Io): Launch {
  const script = realpathSync(machine.argv[1] ?? "");
  const home = env["AGENT_HOME"]?.trim() ?? "";
  return {
    command: machine.execPath,
    args: [script, "acp"],
    env: defined({
      AGENT_HOME: home === "" ? undefined : resolve(cwd, home),
      AGENT_PROFILE: env["AGENT_PROFILE"]?.trim() || undefined,
    }),
  };
}

/** A launch as one command line, for clients that take no variables: the command line sets them itself. */
export function argvOf({ command, args, env }: Launch, platform: string): readonly string[] {
  const variables = Object.entries(env);
  if (variables.length === 0) return [command, ...args];
  if (platform !== "win32")
    return ["/usr/bin/env", ...variables.map(([name, value]) => `${name}=${value}`), command, ...args];
  // Windows has no such program; Node runs this module before the command.
  const module = `Object.assign(process.env, ${JSON.stringify(env)})`;
  return [command, "--import", `data:text/javascript,${encodeURIComponent(module)}`, ...args];
}
