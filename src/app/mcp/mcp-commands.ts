import type { SlashCommand } from "../../core/index.ts";
import type { McpManager } from "./mcp-manager.ts";
import { serverText } from "./server-text.ts";

/** The commands about MCP servers, and those that the servers' prompts are. */
export function mcpCommands(manager: McpManager): readonly SlashCommand[] {
  return [
    {
      name: "mcp",
      aliases: [],
      args: "",
      description: "Show the MCP servers: how each stands, its tools, and why it failed",
      category: "Tools & Skills",
      run: ({ session }) =>
        Promise.resolve({ type: "done", output: serverText(manager.servers(session?.id)) }),
    },
    {
      name: "reload-mcp",
      aliases: ["reload_mcp"],
      args: "",
      description: "Read the MCP servers' settings again and connect them anew",
      category: "Tools & Skills",
      async run({ session, signal }) {
        await manager.reload(signal);
        return { type: "done", output: serverText(manager.servers(session?.id)) };
      },
    },
    ...manager.prompts(),
  ];
}
