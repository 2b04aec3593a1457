import { ContentBlock } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { HostError } from "../../shared/errors/host-error.ts";
import type { PromptBlock } from "../session/prompt-parts.ts";

/**
 * The blocks of a prompt that are known here.
 *
 * @throws HostError `invalid_params` for one of a type that is not
 */
export function promptBlocks(blocks: readonly ContentBlock[]): readonly PromptBlock[] {
  return blocks.map((block, index): PromptBlock => {
    if (ContentBlock.isText(block) || ContentBlock.isImage(block) || ContentBlock.isAudio(block))
      return block;
    if (ContentBlock.isResourceLink(block) || ContentBlock.isResource(block)) return block;
    const place = `prompt.${index}`;
    throw new HostError("invalid_params", `Invalid params: ${place}: ${block.type} is no known block.`, {
      details: { subject: place },
    });
  });
}
