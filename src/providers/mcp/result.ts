import type { CallToolResult } from "@modelcontextprotocol/client";
import { textPart, type ToolContent, type ToolContext, type ToolResult } from "../../core/index.ts";

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** What a server's tool gave, in the host's words. */
export async function resultOf(
  { content, structuredContent, isError = false }: CallToolResult,
  context: Pick<ToolContext, "putBlob">,
): Promise<ToolResult> {
  const parts: ToolContent[] = [];
  for (const block of content) parts.push(await partOf(block, context));
  if (parts.length === 0 && structuredContent !== undefined)
    parts.push(textPart(JSON.stringify(structuredContent)));
  if (parts.length === 0) parts.push(textPart("(no output)"));
  return { outcome: isError ? "error" : "ok", content: parts };
}

async function partOf(
  block: CallToolResult["content"][number],
  { putBlob }: Pick<ToolContext, "putBlob">,
): Promise<ToolContent> {
  switch (block.type) {
    case "text":
      return textPart(block.text);
    case "image": {
      const { data, mimeType } = block;
      if (!IMAGE_TYPES.has(mimeType))
        return textPart(`[an image of type ${mimeType}, which cannot be shown]`);
      return { type: "image", mediaType: mimeType, blob: await putBlob(Buffer.from(data, "base64")) };
    }
    case "audio":
      return textPart(`[sound of type ${block.mimeType}, which cannot be heard here]`);
    case "resource_link":
      return textPart(`[${block.name}](${block.uri})`);
    case "resource":
      return textPart(
        "text" in block.resource ? block.resource.text : `[${block.resource.uri}, which is no text]`,
      );
  }
}
