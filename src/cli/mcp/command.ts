import { argument, command, commandGroup, JSON_FLAG } from "../command.ts";

const LIST = command("list", "list the configured servers, without connecting", {
  takes: { json: JSON_FLAG },
  load: async () => (await import("./mcp.ts")).listMcp,
});

const TEST = command("test", "connect to servers and show what they offer, or why they cannot be used", {
  takes: { names: argument("[name...]", "all by default"), json: JSON_FLAG },
  help: "Exit code 1 when one of them cannot be used.",
  load: async () => (await import("./mcp.ts")).testMcp,
});

/** `agent mcp`: looks at the servers of the configuration. */
export const MCP_COMMAND = commandGroup("mcp", "list and test the MCP servers of the configuration", {
  commands: [LIST, TEST],
  otherwise: "list",
});
