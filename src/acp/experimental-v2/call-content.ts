import type { DiffChange, ToolCallContent } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import type { ToolContent, ToolKind } from "../../core/index.ts";
import { type Images, resultBlocks } from "../projection/content-blocks.ts";
import { gitPatch } from "./git-patch.ts";

/** Content of a call in this version's words: changes of files as what became of each, and as a patch. */
export function callContent(
  content: readonly ToolContent[],
  shown: { readonly kind: ToolKind; readonly images: Images },
): ToolCallContent[] {
  const diffs = content.flatMap((part): readonly ToolCallContent[] => {
    if (part.type !== "diff") return [];
    const { path, oldText } = part;
    const change: DiffChange =
      oldText === null
        ? { operation: "add", path, fileType: "text" }
        : { operation: "modify", path, fileType: "text" };
    return [{ type: "diff", changes: [change], patch: { format: "git_patch", text: gitPatch(part) } }];
  });
  const blocks = resultBlocks(content, shown).map((block) => ({ type: "content" as const, content: block }));
  return [...diffs, ...blocks];
}
