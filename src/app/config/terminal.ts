import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { type ContainerSettings, hostProblem } from "../../providers/tools/index.ts";
import { checkedByReader, COUNT, type ConfigSource, invalidSetting, key } from "./block.ts";
import { type containerBlock, containerSettings } from "./container.ts";

/** Where the agent's commands run: `auto` is the sandbox where it works, else as the user. */
const BACKENDS = ["auto", "sandbox", "local", "container"] as const;

/** A place where the agent's commands run, as the configuration names it. */
export type TerminalBackend = (typeof BACKENDS)[number];

/** The block `terminal`. */
export const terminalBlock = later(() =>
  z.looseObject({
    backend: key(
      z.enum(BACKENDS),
      "Where the agent's commands run: `sandbox`, `container` (of docker or podman), `local` (as you, after an approval), or `auto`: the sandbox where it works.",
      "auto",
    ),
    unsafe: key(
      z.boolean(),
      "Let commands run without a sandbox also where nobody watches: in sessions of webhooks.",
      false,
    ),
    cwd: checkedByReader("The folder where sessions begin."),
    variables: checkedByReader("Variables that commands may see beside the usual ones: a list."),
  }),
);

const host = z.string().refine((text) => hostProblem(text) === undefined, {
  error: ({ input }) => hostProblem(String(input)),
});
const path = z.string().refine((text) => isAbsolute(text) || text.startsWith("~/"), {
  error: "It is no absolute path",
});

/** The block `sandbox`. */
export const sandboxBlock = later(() =>
  z.looseObject({
    hosts: key(z.array(host), "Hosts that commands in the sandbox may reach.", []),
    readable: key(z.array(path), "Files and folders besides the workspace that they may read.", []),
    limits: z
      .looseObject({ processes: key(COUNT, "Processes and threads of one command at a time.", 2000) })
      .optional(),
  }),
);

/** The settings of the place where commands run. */
export interface TerminalSettings {
  readonly backend: TerminalBackend;
  readonly unsafe: boolean;
  readonly hosts: readonly string[];
  /** Absolute. */
  readonly readable: readonly string[];
  readonly limits: { readonly processes?: number };
  readonly container: ContainerSettings;
}

/** The blocks of the configuration that say where commands run. */
interface TerminalBlocks {
  readonly terminal?: z.output<ReturnType<typeof terminalBlock>> | undefined;
  readonly sandbox?: z.output<ReturnType<typeof sandboxBlock>> | undefined;
  readonly container?: z.output<ReturnType<typeof containerBlock>> | undefined;
}

/** The settings of the place where commands run. @throws HostError `config_invalid` for a variable that names no backend */
export function terminalSettings({
  blocks,
  env,
}: Pick<ConfigSource, "env"> & { readonly blocks: TerminalBlocks }): TerminalSettings {
  const { terminal = {}, sandbox = {}, container = {} } = blocks;
  const { hosts = [], readable = [], limits = {} } = sandbox;
  const home = env["HOME"] ?? homedir();
  return {
    backend: backendOf(env["AGENT_TERMINAL_BACKEND"]) ?? terminal.backend ?? "auto",
    unsafe: terminal.unsafe ?? false,
    hosts,
    readable: readable.map((each) => (each.startsWith("~/") ? join(home, each.slice(2)) : each)),
    limits: limits.processes === undefined ? {} : { processes: limits.processes },
    container: containerSettings(container),
  };
}

/** The folder in which sessions begin whose client names none: `terminal.cwd`, else that in which the program was started. */
export const sessionFolder = (source: Pick<ConfigSource, "config" | "env">, started: string): string =>
  chosenFolder(source, started) ?? started;

/** The folder of `terminal.cwd`, from that in which the program was started. */
export function chosenFolder(
  { config, env }: Pick<ConfigSource, "config" | "env">,
  started: string,
): string | undefined {
  const { terminal } = config;
  const cwd = isJsonObject(terminal) ? terminal["cwd"] : undefined;
  if (typeof cwd !== "string" || cwd.trim() === "") return undefined;
  return resolve(started, cwd.replace(/^~(?=\/|$)/, env["HOME"] ?? homedir()));
}

/** The backend that the environment names. */
function backendOf(named = ""): TerminalBackend | undefined {
  const word = named.trim();
  const known = BACKENDS.find((each) => each === word);
  if (word === "" || known !== undefined) return known;
  throw invalidSetting("AGENT_TERMINAL_BACKEND", `is ${JSON.stringify(word)}: write ${BACKENDS.join(", ")}`);
}
