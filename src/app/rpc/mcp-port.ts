import { defined } from "../../shared/json/defined.ts";
import type { McpPort } from "../../rpc/index.ts";
import type { McpManager } from "../mcp/mcp-manager.ts";

/** The configured MCP servers, in the gateway's words. */
export function mcpPort(manager: McpManager): McpPort {
  return {
    servers: () =>
      manager.servers().map(({ name, transport, status, reason, tools }) => ({
        name,
        transport,
        tools: tools.length,
        connected: status === "connected",
        disabled: status === "disabled",
        status,
        ...defined({ error: reason }),
      })),
    reload: (signal) => manager.reload(signal),
    subscribe: (listener) => manager.subscribe(listener),
  };
}
