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
import type { EncodedMessage } from "../dialect.ts";
import { MESSAGES_ITEMS } from "./reply.ts";

/** The role that a message of a conversation has in this dialect. */
export const roleOf = ({ role }: ModelMessage): "user" | "assistant" =>
  role === "assistant" ? "assistant" : "user";

/** The end of the last block of a text: it is left open, so that a mark can be put into the block. */
export const BLOCK_END = "}";
/** The end of a message, after its last block. */
export const MESSAGE_END = "]}";

/** Encodes a message of a conversation up to the end of its last block. It is joined to a neighbour of the same role. */
export function encodeMessage(
  message: ModelMessage,
  encoding: EncodingContext,
  before: ModelMessage | undefined,
): EncodedMessage {
  const role = roleOf(message);
  const blocks = blocksOf(message, encoding);
  const text = blocks.map((block) => JSON.stringify(block)).join(",");
  return {
    text: beginning(role, before && roleOf(before)) + text.slice(0, -BLOCK_END.length),
    thinks: blocks.some(isThinking),
  };
}

function beginning(role: string, before: string | undefined): string {
  if (role === before) return `${BLOCK_END},`;
  const end = before === undefined ? "" : `${BLOCK_END}${MESSAGE_END},`;
  return `${end}{"role":"${role}","content":[`;
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
