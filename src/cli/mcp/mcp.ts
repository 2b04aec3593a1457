import { HostError } from "../../shared/errors/host-error.ts";
import type { McpServer } from "../../providers/mcp/index.ts";
import { openAgent } from "../../app/compose.ts";
import { configuredMcpServers } from "../../app/config/mcp-servers.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { counted } from "../../shared/text/counted.ts";
import { printJson } from "../terminal/output.ts";
import { EXIT, type Io, write } from "../../app/process/io.ts";
import { mcpLoginStore } from "../../app/mcp/login-store.ts";
import { serverText } from "../../app/mcp/server-text.ts";
import type { Check } from "../../app/model-setup/provider-checks.ts";

/** Milliseconds that a server gets to answer a check. */
const PROBE_MS = 10_000;

/** `agent mcp list`: the configured servers; connects to none. */
export async function listMcp(io: Io, { json }: { readonly json: boolean }): Promise<void> {
  const { blocks, env, paths } = await loadSettings(io.env, io.cwd);
  const servers = configuredMcpServers(blocks.mcp_servers, env);
  if (json) {
    const list = servers.map((server) => ({
      name: server.name,
      transport: server.type,
      target: targetOf(server),
      enabled: server.disabled !== true,
      ...(server.type === "stdio" ? {} : { login: loginOf(server, paths.home) }),
      problem: server.problem ?? null,
    }));
    return await printJson(io, list);
  }
  const lines = servers.map((server) => {
    const state = server.disabled === true ? "  (switched off)" : "";
    const problem = server.problem === undefined ? "" : `  PROBLEM: ${server.problem}`;
    const login = { none: "", active: "  (logged in)", ended: "  (its login has ended)" }[
      loginOf(server, paths.home)
    ];
    return `${server.name.padEnd(16)} ${server.type.padEnd(5)} ${targetOf(server)}${login}${state}${problem}\n`;
  });
  const none = `No MCP server is configured: add one with \`agent mcp add\`, or name it under \`mcp_servers:\` in ${paths.config}.\n`;
  await write(io.stdout, lines.length === 0 ? none : lines.join(""));
}

/** `agent mcp test`: connects to servers and says what they offer, or why they cannot be used. */
export async function testMcp(
  io: Io,
  { names, json }: { readonly names: readonly string[]; readonly json: boolean },
): Promise<number> {
  await using agent = await openAgent(io, { resident: false });
  const known = agent.mcp.servers().map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const configured = known.length === 0 ? "none is configured" : `configured: ${known.join(", ")}`;
    throw new HostError("command_usage", `There is no MCP server ${unknown.join(", ")}; ${configured}.`);
  }
  const servers = await agent.mcp.probe((name) => names.length === 0 || names.includes(name), PROBE_MS);
  await (json ? printJson(io, servers) : write(io.stdout, `${serverText(servers)}\n`));
  return servers.some(({ status }) => status === "failed") ? EXIT.failed : EXIT.completed;
}

/** A check for each configured server that is switched on. */
export async function* mcpChecks(io: Io): AsyncGenerator<Check, void> {
  const { blocks, env } = await loadSettings(io.env, io.cwd);
  const enabled = configuredMcpServers(blocks.mcp_servers, env).filter(({ disabled }) => disabled !== true);
  if (enabled.length === 0) return;
  await using agent = await openAgent(io, { resident: false });
  for (const { name, status, reason, tools } of await agent.mcp.probe(() => true, PROBE_MS)) {
    if (status === "disabled") continue;
    const text = reason ?? `${status}, ${counted(tools.length, "tool")}`;
    yield { name: "mcp", ok: status === "connected", text: `${name}: ${text}` };
  }
}

/** The login at a server. One that has a token to renew it with does not end by itself. */
function loginOf(server: McpServer, home: string): "none" | "active" | "ended" {
  const login = server.type === "stdio" ? undefined : mcpLoginStore(home, server).read();
  if (login === undefined) return "none";
  const { refreshToken, expiresAt = Number.POSITIVE_INFINITY } = login;
  return refreshToken === undefined && expiresAt <= Date.now() ? "ended" : "active";
}

/** Without what may be secret: the program alone, or the address without its query. */
function targetOf(server: McpServer): string {
  if (server.type === "stdio") return server.command;
  const url = URL.parse(server.url);
  return url === null ? server.url : `${url.origin}${url.pathname}`;
}
