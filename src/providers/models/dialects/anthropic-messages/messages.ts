import type {
  ContentBlockParam,
  ImageBlockParam,
  RedactedThinkingBlockParam,
  TextBlockParam,
  ThinkingBlockParam,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { AssistantMessage, ModelMessage, ToolResultMessage } from "../../../../core/index.ts";
import { partsInOrder, orderedItems } from "../../reply/reply-order.ts";
import {
  EMPTY_TEXT,
  type EncodedContent,
  encodePrompt,
  encodeToolResult,
  type EncodingContext,
} from "../../request/content-encoding.ts";
import { MESSAGES_ITEMS } from "./reply.ts";

/** A message of this dialect: its blocks as JSON text, so that neighbours of one role can be joined. */
export interface EncodedMessage {
  readonly role: "user" | "assistant";
  readonly blocks: readonly string[];
  /** It has thinking that its model takes back. */
  readonly thinks: boolean;
  /** A person's prompt, not the results of tools. */
  readonly prompt: boolean;
}

/** Encodes a message of a conversation. */
export function toBlocks(message: ModelMessage, encoding: EncodingContext): EncodedMessage {
  const role = message.role === "assistant" ? "assistant" : "user";
  const blocks = blocksOf(message, encoding);
  return {
    role,
    blocks: blocks.map((block) => JSON.stringify(block)),
    thinks: blocks.some(isThinking),
    prompt: message.role === "user",
  };
}

function blocksOf(message: ModelMessage, encoding: EncodingContext): readonly ContentBlockParam[] {
  switch (message.role) {
    case "user":
      return encodePrompt(message.parts, encoding).map(saidBlock);
    case "assistant":
      return replyBlocks(message, encoding.reader);
    case "tool":
      return message.results.map((result) => resultBlock(result, encoding));
  }
}

const isThinking = ({ type }: ContentBlockParam): boolean =>
  type === "thinking" || type === "redacted_thinking";

function replyBlocks(message: AssistantMessage, reader: string | undefined): readonly ContentBlockParam[] {
  const order = orderedItems(message.items, { dialect: MESSAGES_ITEMS, reader });
  const blocks = partsInOrder<ContentBlockParam>(message, order, {
    // Only what an endpoint sent as such a block was kept as one.
    opaque: (item) => item as unknown as ThinkingBlockParam | RedactedThinkingBlockParam,
    text: (text) => ({ type: "text", text }),
    call: ({ id, name, input }) => ({ type: "tool_use", id, name, input }),
  });
  // A message of thinking alone is refused.
  return blocks.every(isThinking) ? [{ type: "text", text: EMPTY_TEXT }] : blocks;
}

/** The formats that this dialect names; `images.ts` lets no other pass. */
type Format = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

function saidBlock(said: EncodedContent): TextBlockParam | ImageBlockParam {
  if (said.type === "text") return { type: "text", text: said.text };
  return {
    type: "image",
    source: { type: "base64", media_type: said.mediaType as Format, data: said.base64 },
  };
}

function resultBlock(result: ToolResultMessage, encoding: EncodingContext): ToolResultBlockParam {
  return {
    type: "tool_result",
    tool_use_id: result.callId,
    content: encodeToolResult(result, encoding).map(saidBlock),
    ...(result.isError ? { is_error: true } : {}),
  };
}
