import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { HostError } from "../../shared/errors/host-error.ts";
import { httpServer, record } from "../session/mcp-server.ts";
import type { McpServerSpec } from "../ports.ts";

/**
 * The servers that a client names, in the host's words.
 *
 * @throws HostError `invalid_params` for one that can only be reached through the client
 */
export function mcpServers(servers: readonly McpServer[] = []): readonly McpServerSpec[] {
  return servers.map((server, index): McpServerSpec => {
    const { name } = server;
    if (!("type" in server)) {
      const { command, args, env } = server;
      return { type: "stdio", name, command, args, env: record(env) };
    }
    if (server.type === "acp")
      throw new HostError(
        "invalid_params",
        `Invalid params: mcpServers.${index}: servers of type acp are not taken.`,
      );
    return httpServer(server, index);
  });
}
