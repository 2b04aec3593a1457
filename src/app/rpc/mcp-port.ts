import type { McpPort } from "../../rpc/index.ts";
import type { McpDesk } from "../mcp/mcp-manager.ts";

/** The configured MCP servers, in the gateway's words. */
export function mcpPort(desk: McpDesk): McpPort {
  return {
    servers: () =>
      desk.servers().map(({ name, transport, status, reason, tools }) => ({
        name,
        transport,
        tools: tools.length,
        connected: status === "connected",
        disabled: status === "disabled",
        status,
        ...(reason === undefined ? {} : { error: reason }),
      })),
    reload: (signal) => desk.reload(signal),
    subscribe: (listener) => desk.subscribe(listener),
  };
}
