import type { ExtraCommands } from "../../core/index.ts";
import { approvalsCommand } from "../approvals/approvals-command.ts";
import { mcpCommands } from "../mcp/mcp-commands.ts";
import type { McpManager } from "../mcp/mcp-manager.ts";
import { sandboxCommand } from "../sandbox/sandbox-command.ts";
import type { SessionSandboxes } from "../sandbox/session-sandboxes.ts";
import type { BackgroundProcesses } from "../../providers/tools/index.ts";
import { processCommands } from "./process-commands.ts";
import { type HomeCommandParts, homeCommands } from "./home-commands.ts";

/** The parts of an agent that slash commands are about. */
export interface ExtraCommandParts extends HomeCommandParts {
  readonly mcp: McpManager;
  readonly sandboxes: SessionSandboxes;
  readonly background: BackgroundProcesses;
}

/** The slash commands that this program has beside the built-in ones. */
export function extraCommands({ mcp, sandboxes, background, ...parts }: ExtraCommandParts): ExtraCommands {
  const { live, knowledge } = parts;
  const steady = [
    ...approvalsCommand(live),
    ...sandboxCommand(sandboxes),
    ...processCommands(background),
    ...homeCommands(parts),
  ];
  const aboutServers = mcpCommands(mcp);
  // Prompts of servers are commands, too.
  return (cwd) => [...steady, ...knowledge.commands(cwd), ...aboutServers, ...mcp.prompts()];
}
