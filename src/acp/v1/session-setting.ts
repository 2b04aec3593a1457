import { isAbsolute } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk/unstable";
import { HostError } from "../../core/index.ts";
import type { SessionSetting } from "../session/session-desk.ts";
import { mcpServers } from "./mcp-servers.ts";

/**
 * The folders and servers that a client names for a session.
 *
 * @throws HostError `invalid_params` for a folder that is not absolute, or a server that cannot be reached from here
 */
export function settingOf({
  cwd,
  additionalDirectories = [],
  mcpServers: servers = [],
}: {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
}): SessionSetting {
  const roots = [cwd, ...additionalDirectories];
  for (const [index, path] of roots.entries()) {
    if (isAbsolute(path)) continue;
    const name = index === 0 ? "cwd" : `additionalDirectories.${index - 1}`;
    throw new HostError(
      "invalid_params",
      `Invalid params: ${name}: ${JSON.stringify(path)} is no absolute path.`,
      { details: { subject: name } },
    );
  }
  return { cwd, roots: [...new Set(roots)], servers: mcpServers(servers) };
}
