import { z } from "zod";
import { type AnyTool, defineTool, textPart, type ToolContent, type ToolContext } from "../../core/index.ts";
import type { UseServer } from "./mcp-tool.ts";
import { IMAGE_TYPES, MOST_IMAGES } from "./result.ts";
import { visibleLine } from "./visible-text.ts";
import { toolName } from "./tool-name.ts";

const LONGEST_LINE = 500;
const MOST_LINES = 500;

/** Makes the tools that list and read the resources of a server. */
export function resourceTools(server: string, use: UseServer): readonly AnyTool[] {
  return [listing(server, use), reading(server, use)];
}

function listing(server: string, use: UseServer): AnyTool {
  return defineTool({
    name: toolName(server, "list_resources"),
    description: `Lists the resources of the MCP server ${server}: their addresses, names and types.`,
    toolset: `mcp:${server}`,
    kind: "read",
    effect: "pure",
    input: z.object({ cursor: z.string().optional().describe("Where the page before ended") }),
    label: () => `${server}: list resources`.slice(0, 80),
    async run({ cursor }, context) {
      const { resources, nextCursor } = await use(
        (connection) => connection.listResources(cursor, context),
        context.signal,
      );
      const lines = resources.slice(0, MOST_LINES).map(({ uri, name, mimeType = "", description = "" }) => {
        const about = [name, mimeType, description].filter((word) => word !== "").join(" · ");
        return visibleLine(`${uri} ${about}`, LONGEST_LINE);
      });
      if (resources.length > MOST_LINES) lines.push(`[${resources.length - MOST_LINES} more are left out]`);
      if (nextCursor !== undefined) lines.push(`[more with cursor ${JSON.stringify(nextCursor)}]`);
      const text = lines.length === 0 ? "The server has no resources." : lines.join("\n");
      return { outcome: "ok", content: [textPart(text)] };
    },
  });
}

function reading(server: string, use: UseServer): AnyTool {
  return defineTool({
    name: toolName(server, "read_resource"),
    description: `Reads a resource of the MCP server ${server} by its address.`,
    toolset: `mcp:${server}`,
    kind: "read",
    effect: "idempotent",
    changes: "nothing",
    input: z.object({ uri: z.string().min(1).describe("As the list of resources has it") }),
    label: ({ uri }) => `${server}: read ${visibleLine(uri, 60)}`.slice(0, 80),
    permit: ({ uri }) =>
      Promise.resolve({
        verdict: "ask",
        harmless: false,
        command: `${server}: read ${uri}`,
        description: `Reads a resource of the MCP server ${server}`,
        patterns: [`mcp:${server}:resources`],
        reasons: ["reads from another program"],
        allowPermanent: true,
        ...(/^https?:/i.test(uri) ? { reaches: [uri] } : {}),
      }),
    async run({ uri }, context) {
      const { contents } = await use((connection) => connection.readResource(uri, context), context.signal);
      const parts: ToolContent[] = [];
      for (const each of contents) parts.push(await partOf(each, parts.length < MOST_IMAGES, context));
      return { outcome: "ok", content: parts.length === 0 ? [textPart("(it is empty)")] : parts };
    },
  });
}

interface Contents {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: string;
  readonly blob?: string;
}

async function partOf(
  { uri, mimeType = "", text, blob }: Contents,
  mayShow: boolean,
  { putBlob }: Pick<ToolContext, "putBlob">,
): Promise<ToolContent> {
  if (text !== undefined) return textPart(text);
  if (blob === undefined || !IMAGE_TYPES.has(mimeType) || !mayShow)
    return textPart(
      `[${visibleLine(uri, LONGEST_LINE)} is of type ${visibleLine(mimeType, 100) || "unknown"}, which is no text]`,
    );
  return { type: "image", mediaType: mimeType, blob: await putBlob(Buffer.from(blob, "base64")) };
}
