import type { ExtraCommands } from "../../core/index.ts";
import type { Knowledge } from "../../providers/knowledge/index.ts";
import type { Machine, Spawner } from "../../providers/tools/index.ts";
import { approvalsCommand } from "../approvals/approvals-command.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import { mcpCommands } from "../mcp/mcp-commands.ts";
import type { McpManager } from "../mcp/mcp-manager.ts";
import { homeCommands } from "./home-commands.ts";

/** The parts of an agent that slash commands are about. */
export interface ExtraCommandParts {
  readonly live: LiveSettings;
  readonly knowledge: Knowledge;
  readonly mcp: McpManager;
  readonly machine: Machine;
  readonly spawner: Spawner;
}

/** The slash commands that this program has beside the built-in ones. */
export function extraCommands({ live, knowledge, mcp, machine, spawner }: ExtraCommandParts): ExtraCommands {
  const { memory } = knowledge;
  const steady = [
    approvalsCommand(live),
    ...homeCommands({ paths: live.current.paths, memory, machine, spawner }),
  ];
  return (cwd) => [...steady, ...knowledge.commands(cwd), ...mcpCommands(mcp)];
}
