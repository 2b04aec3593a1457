import { z } from "zod";
import { type AnyTool, defineTool, textPart, type ToolContext } from "../../core/index.ts";
import { toolName } from "./tool-name.ts";

/**
 * Makes the tool that connects a server which lacks keys: the person is asked for them when the server is first needed.
 *
 * @param connect - gives the names of the server's tools; throws when it could not be connected
 */
export function connectTool(
  { name, missing }: { readonly name: string; readonly missing: readonly string[] },
  connect: (context: ToolContext) => Promise<readonly string[]>,
): AnyTool {
  const keys = missing.join(", ");
  return defineTool({
    name: toolName(name, "connect"),
    description: `Connects the MCP server ${name}, whose tools are not there yet because ${keys} is not set: the user is asked for it. Call it when a task needs this server.`,
    toolset: `mcp:${name}`,
    kind: "other",
    effect: "idempotent",
    changes: "nothing",
    input: z.object({}),
    label: () => `${name}: connect`.slice(0, 80),
    // All that it does is to ask.
    permit: () => Promise.resolve({ verdict: "allow" }),
    async run(_input, context) {
      const tools = await connect(context);
      const text = tools.length === 0 ? "It offers no tools." : `Its tools: ${tools.join(", ")}.`;
      return { outcome: "ok", content: [textPart(`The MCP server ${name} is connected. ${text}`)] };
    },
  });
}
