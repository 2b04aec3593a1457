import type { SlashCommand } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { GatewayPorts } from "../ports.ts";

const TIMEOUT_MS = 30_000;
const SHOWN = 4000;

/** A command that the owner added in `quick_commands`. */
type UserCommand =
  | { readonly type: "exec"; readonly command: string; readonly description: string }
  | { readonly type: "alias"; readonly target: string; readonly description: string };

/** The commands of `quick_commands`: a line for the shell, or another name for a command with its arguments. */
export function userCommands(ports: GatewayPorts): readonly SlashCommand[] {
  return [...configured(ports)].map(([name, command]) => ({
    name,
    aliases: [],
    args: "",
    description: command.description,
    category: "User commands",
    run: async ({ session, workspace, signal }) => {
      if (command.type === "alias") return { type: "send", message: `/${command.target}` };
      const cwd = session?.state.cwd ?? workspace.cwd;
      const options = { cwd, timeoutMs: TIMEOUT_MS, keep: SHOWN, signal };
      const { code, stdout, stderr } = await ports.commands.shell(command.command, options);
      const output = `${stdout}${stderr}`.trim();
      if (code === 0) return { type: "done", output: output === "" ? "Done." : output };
      throw new HostError("unknown_command", `/${name} ended with code ${code}: ${output}`);
    },
  }));
}

/** Finds the command that a user's command is another name for; `undefined` when it is none. */
export function aliasTarget(ports: GatewayPorts, name: string): string | undefined {
  const command = configured(ports).get(name);
  return command?.type === "alias" ? command.target : undefined;
}

function configured({ config }: GatewayPorts): ReadonlyMap<string, UserCommand> {
  const block = config.values()["quick_commands"];
  const commands = new Map<string, UserCommand>();
  if (!isJsonObject(block)) return commands;
  for (const [name, value] of Object.entries(block)) {
    const command = isJsonObject(value) ? userCommand(value) : undefined;
    if (command !== undefined) commands.set(name.toLowerCase(), command);
  }
  return commands;
}

/** Reads a command of the owner, when it can be used: a mistake here does not hold up the rest of the configuration. */
function userCommand(value: Readonly<Record<string, unknown>>): UserCommand | undefined {
  const { type, command, target, description } = value;
  const words = typeof description === "string" ? description : undefined;
  if (type === "alias" && typeof target === "string") {
    const clean = target.replace(/^\//, "");
    return { type, target: clean, description: words ?? `Same as /${clean}` };
  }
  if (typeof command === "string") return { type: "exec", command, description: words ?? `Runs ${command}` };
  return undefined;
}
