import { Command } from "commander";
import { type Bind, json } from "../flags.ts";

/** `agent mcp`: looks at the servers of the configuration. */
export function mcpCommand(bind: Bind): Command {
  const mcp = new Command("mcp").description("list and test the MCP servers of the configuration");
  mcp
    .command("list", { isDefault: true })
    .description("list the configured servers, without connecting")
    .addOption(json())
    .action(
      bind<{ json: boolean }>(async (io, _args, flags) => {
        const { listMcp } = await import("./mcp.ts");
        return await listMcp(io, flags);
      }),
    );
  mcp
    .command("test")
    .description("connect to servers and show what they offer, or why they cannot be used")
    .argument("[name...]", "all by default")
    .addOption(json())
    .addHelpText("after", "\nExit code 1 when one of them cannot be used.")
    .action(
      bind<{ json: boolean }>(async (io, names, flags) => {
        const { testMcp } = await import("./mcp.ts");
        return await testMcp(io, { names: names.filter((name) => name !== undefined), json: flags.json });
      }),
    );
  return mcp;
}
