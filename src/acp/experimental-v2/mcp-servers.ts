import { McpServer } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { HostError } from "../../shared/errors/host-error.ts";
import { httpServer, record } from "../session/mcp-server.ts";
import type { McpServerSpec } from "../ports.ts";

/**
 * The servers that a client names, in the host's words.
 *
 * @throws HostError `invalid_params` for one of a type that cannot be reached from here
 */
export function mcpServers(servers: readonly McpServer[] = []): readonly McpServerSpec[] {
  return servers.map((server, index): McpServerSpec => {
    if (McpServer.isStdio(server)) {
      const { name, command, args = [], env = [] } = server;
      return { type: "stdio", name, command, args, env: record(env) };
    }
    if (McpServer.isHttp(server)) return httpServer({ headers: [], ...server, type: "http" }, index);
    throw new HostError(
      "invalid_params",
      `Invalid params: mcpServers.${index}: servers of type ${server.type} are not taken.`,
    );
  });
}
