import { createHash } from "node:crypto";
import type { Client, Tool as ServerTool } from "@modelcontextprotocol/client";
import {
  type AnyTool,
  isJsonObject,
  type Tool,
  type ToolContext,
  type ToolProgress,
  type ToolResult,
} from "../../core/index.ts";
import { resultOf } from "./result.ts";

/** Milliseconds that a call may take. */
const CALL_MS = 600_000;
/** Characters of a name that every model endpoint takes. */
const LONGEST_NAME = 64;
const LONGEST_LABEL = 80;

type Input = Readonly<Record<string, unknown>>;

/** A server's tool as one of the host's. What a server says of its tools is no reason to trust it: each call asks. */
export function mcpTool(server: string, tool: ServerTool, client: Client): AnyTool {
  const title = tool.title ?? tool.annotations?.title ?? tool.name;
  const made: Tool<Input> = {
    name: nameOf(server, tool.name),
    description: tool.description ?? title,
    toolset: `mcp:${server}`,
    kind: tool.annotations?.readOnlyHint === true ? "read" : "other",
    effect: "once",
    parameters: tool.inputSchema,
    parse(input) {
      if (isJsonObject(input)) return input;
      throw new Error(`Invalid input for ${tool.name}: it must be an object.`);
    },
    label: () => `${server}: ${title}`.slice(0, LONGEST_LABEL),
    permit: (input) =>
      Promise.resolve({
        verdict: "ask",
        harmless: false,
        command: `${server}: ${tool.name} ${JSON.stringify(input)}`.slice(0, 2000),
        description: `Calls ${title} of the MCP server ${server}`,
        patterns: [`mcp:${server}:${tool.name}`],
        allowPermanent: true,
      }),
    run: (input, context) => call(tool.name, input, { client, context }),
  };
  // The registry hands each tool only what its own `parse` made, so that forgetting the type is safe.
  return made as unknown as AnyTool;
}

// oxlint-disable-next-line require-yield -- servers' progress is no text that could be shown
async function* call(
  name: string,
  input: Input,
  { client, context }: { readonly client: Client; readonly context: ToolContext },
): AsyncGenerator<ToolProgress, ToolResult, void> {
  const { signal } = context;
  const result = await client.callTool({ name, arguments: { ...input } }, { signal, timeout: CALL_MS });
  return await resultOf(result, context);
}

/** A name of its own among all tools, in the letters that model endpoints take. */
function nameOf(server: string, tool: string): string {
  const name = `mcp_${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, "_");
  if (name.length <= LONGEST_NAME && name === `mcp_${server}_${tool}`) return name;
  const mark = createHash("sha256").update(`${server}\0${tool}`).digest("hex").slice(0, 6);
  return `${name.slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}
