import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions";
import type { AssistantMessage, ModelMessage, ToolResultMessage } from "../../../../core/index.ts";
import {
  dataUrl,
  EMPTY_TEXT,
  type EncodedContent,
  encodePrompt,
  encodeToolResult,
  type EncodingContext,
} from "../../request/content-encoding.ts";
import { defined } from "../../../../shared/json/defined.ts";
import { keptItems } from "./reply-items.ts";

/** A message as chat endpoints take it, with what some of them want back. */
export type ChatMessage = ChatCompletionMessageParam & { readonly reasoning_details?: readonly unknown[] };

/** Encodes a message of a conversation: one chat message, or one per tool result and one for the images in them. */
export function toChatMessages(message: ModelMessage, encoding: EncodingContext): readonly ChatMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: userContent(encodePrompt(message.parts, encoding)) }];
    case "assistant":
      return [assistantMessage(message, encoding.reader)];
    case "tool":
      return toolMessages(message.results, encoding);
  }
}

function userContent(said: readonly EncodedContent[]): string | ChatCompletionContentPart[] {
  const texts = said.filter((part) => part.type === "text");
  // Many servers know content as a string only: parts are for what is no text.
  return texts.length === said.length ? texts.map(({ text }) => text).join("\n\n") : said.map(chatPart);
}

function chatPart(said: EncodedContent): ChatCompletionContentPart {
  if (said.type === "text") return { type: "text", text: said.text };
  // Of the words that are known elsewhere these three are also known here.
  const detail = said.detail as "auto" | "low" | "high" | undefined;
  return { type: "image_url", image_url: { url: dataUrl(said), ...defined({ detail }) } };
}

function assistantMessage(message: AssistantMessage, reader: string | undefined): ChatMessage {
  const { text, reasoning, calls } = message;
  const { reasoningField, reasoningDetails, callExtras } = keptItems(message.items, reader);
  if (calls.length === 0) return { role: "assistant", content: text.trim() === "" ? EMPTY_TEXT : text };
  return {
    role: "assistant",
    content: text.trim() === "" ? null : text,
    ...(reasoningField !== undefined && reasoning !== "" ? { [reasoningField]: reasoning } : {}),
    ...(reasoningDetails === undefined ? {} : { reasoning_details: reasoningDetails }),
    tool_calls: calls.map(({ id, name, input }, place) => {
      const extra = callExtras?.[place] ?? undefined;
      const call = { name, arguments: JSON.stringify(input) };
      return { id, type: "function" as const, function: call, ...defined({ extra_content: extra }) };
    }),
  };
}

/** Results first, since each call needs its own right after it; images cannot be in them and follow as a user's. */
function toolMessages(
  results: readonly ToolResultMessage[],
  encoding: EncodingContext,
): readonly ChatMessage[] {
  const images: ChatCompletionContentPart[] = [];
  const messages = results.map((result): ChatMessage => {
    const said = encodeToolResult(result, encoding).map((part) => {
      if (part.type === "text") return part.text;
      images.push({ type: "text", text: `Image from ${result.name}:` }, chatPart(part));
      return "(The image follows.)";
    });
    const text = said.join("\n");
    const content = result.isError ? `Error: ${text}` : text;
    return { role: "tool", tool_call_id: result.callId, content };
  });
  return images.length === 0 ? messages : [...messages, { role: "user", content: images }];
}
