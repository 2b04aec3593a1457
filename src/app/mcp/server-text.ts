import type { ServerView } from "./mcp-manager.ts";

const SHOWN_TOOLS = 40;

/** Servers in lines for people: how each stands, what it offers, and what is wrong. */
export function serverText(servers: readonly ServerView[]): string {
  if (servers.length === 0)
    return "No MCP server is configured. Add one with `agent mcp add`, or name it under `mcp_servers:` in config.yaml, with a `command` or a `url`.";
  return servers.flatMap(serverLines).join("\n");
}

function serverLines(server: ServerView): readonly string[] {
  const { name, transport, status, reason, tools, prompts, resources, notes } = server;
  const head = `${name}  ${transport}  ${status}${reason === undefined ? "" : `: ${reason}`}`;
  const more = tools.length > SHOWN_TOOLS ? `, and ${tools.length - SHOWN_TOOLS} more` : "";
  return [
    head,
    ...(tools.length === 0 ? [] : [`  tools: ${tools.slice(0, SHOWN_TOOLS).join(", ")}${more}`]),
    ...(prompts.length === 0 ? [] : [`  prompts: ${prompts.map((prompt) => `/${prompt}`).join(", ")}`]),
    ...(resources ? ["  has resources to read"] : []),
    ...notes.map((note) => `  note: ${note}`),
  ];
}
