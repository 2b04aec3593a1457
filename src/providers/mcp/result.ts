import type { CallToolResult } from "@modelcontextprotocol/client";
import { textPart, type ToolContent, type ToolContext, type ToolResult } from "../../core/index.ts";
import { visibleLine } from "./visible-text.ts";

/** The types of images that models can be shown. */
export const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
/** Images of one result that are shown. */
export const MOST_IMAGES = 10;
const LONGEST_NAME = 200;
const LONGEST_URI = 2000;

type Blobs = Pick<ToolContext, "putBlob">;

/** Encodes the result of a server's tool for the host. The core keeps the beginning and the end of a long one. */
export async function resultOf(
  { content, structuredContent, isError = false }: CallToolResult,
  context: Blobs,
): Promise<ToolResult> {
  const parts: ToolContent[] = [];
  let images = 0;
  for (const block of content) {
    if (block.type === "image") images += 1;
    const isOneTooMany = block.type === "image" && images > MOST_IMAGES;
    parts.push(isOneTooMany ? textPart(`[image ${images} is left out]`) : await partOf(block, context));
  }
  if (parts.length === 0 && structuredContent !== undefined)
    parts.push(textPart(JSON.stringify(structuredContent)));
  if (parts.length === 0) parts.push(textPart("(no output)"));
  return { outcome: isError ? "error" : "ok", content: parts };
}

async function partOf(block: CallToolResult["content"][number], { putBlob }: Blobs): Promise<ToolContent> {
  switch (block.type) {
    case "text":
      return textPart(block.text);
    case "image": {
      const { data, mimeType } = block;
      if (!IMAGE_TYPES.has(mimeType))
        return textPart(`[an image of type ${visibleLine(mimeType, LONGEST_NAME)}, which cannot be shown]`);
      return { type: "image", mediaType: mimeType, blob: await putBlob(Buffer.from(data, "base64")) };
    }
    case "audio":
      return textPart(
        `[sound of type ${visibleLine(block.mimeType, LONGEST_NAME)}, which cannot be heard here]`,
      );
    case "resource_link":
      return textPart(`[${visibleLine(block.name, LONGEST_NAME)}](${visibleLine(block.uri, LONGEST_URI)})`);
    case "resource":
      return textPart(
        "text" in block.resource
          ? block.resource.text
          : `[${visibleLine(block.resource.uri, LONGEST_URI)}, which is no text]`,
      );
  }
}
