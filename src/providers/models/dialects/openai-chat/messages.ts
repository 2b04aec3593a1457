import type { AssistantMessage, ModelMessage, ToolResultMessage } from "../../../../core/index.ts";
import {
  dataUrl,
  EMPTY_TEXT,
  type EncodedContent,
  encodePrompt,
  encodeToolResult,
  type EncodingContext,
} from "../../request/content-encoding.ts";
import { keptItems } from "./reply-items.ts";

type ChatPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string; readonly detail?: string } };

interface ChatCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: unknown;
}

/** A message as chat endpoints take it. */
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ChatPart[] }
  | {
      readonly role: "assistant";
      readonly content: string | null;
      readonly tool_calls?: readonly ChatCall[];
      readonly reasoning_details?: readonly unknown[];
      /** Under the name that the endpoint uses. */
      readonly [reasoning: string]: unknown;
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

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

function userContent(said: readonly EncodedContent[]): string | readonly ChatPart[] {
  const texts = said.filter((part) => part.type === "text");
  // Many servers know content as a string only: parts are for what is no text.
  return texts.length === said.length ? texts.map(({ text }) => text).join("\n\n") : said.map(chatPart);
}

function chatPart(said: EncodedContent): ChatPart {
  if (said.type === "text") return { type: "text", text: said.text };
  const { detail } = said;
  const url = dataUrl(said);
  return { type: "image_url", image_url: detail === undefined ? { url } : { url, detail } };
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
      const call: ChatCall = { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
      return extra === undefined ? call : { ...call, extra_content: extra };
    }),
  };
}

/** Results first, since each call needs its own right after it; images cannot be in them and follow as a user's. */
function toolMessages(
  results: readonly ToolResultMessage[],
  encoding: EncodingContext,
): readonly ChatMessage[] {
  const images: ChatPart[] = [];
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
