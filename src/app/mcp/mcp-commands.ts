import { defineCommands, done, type SlashCommand } from "../../core/index.ts";
import type { McpManager } from "./mcp-manager.ts";
import { serverText } from "./server-text.ts";

/** The commands about MCP servers. */
export const mcpCommands = (manager: McpManager): readonly SlashCommand[] =>
  defineCommands("Tools & Skills", [
    {
      name: "mcp",
      description: "Show the MCP servers: how each stands, its tools, and why it failed",
      run: ({ session }) => Promise.resolve(done(serverText(manager.servers(session?.id)))),
    },
    {
      name: "reload-mcp",
      aliases: ["reload_mcp"],
      description: "Read the MCP servers' settings again and connect them anew",
      async run({ session, signal }) {
        await manager.reload(signal);
        return done(serverText(manager.servers(session?.id)));
      },
    },
  ]);
