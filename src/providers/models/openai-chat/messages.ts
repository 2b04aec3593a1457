import type { ImagePart, ToolContent, UserPart } from "../../../core/content.ts";
import type { AssistantMessage, ModelMessage, ToolResultMessage } from "../../../core/conversation.ts";
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

export interface ChatEncoding {
  readonly model: string;
  /** A `data:` address for an image, or the words that stand for it. */
  readonly image: (image: ImagePart) => { readonly url: string } | { readonly note: string };
}

/** Encodes a message of a conversation: one chat message, or one per tool result and one for the images in them. */
export function toChatMessages(message: ModelMessage, encoding: ChatEncoding): readonly ChatMessage[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: userContent(message.parts, encoding) }];
    case "assistant":
      return [assistantMessage(message, encoding.model)];
    case "tool":
      return toolMessages(message.results, encoding);
  }
}

/** The images of a message that its encoding will ask for. */
export function imagesIn(message: ModelMessage): readonly ImagePart[] {
  const parts: readonly (UserPart | ToolContent)[] =
    message.role === "user"
      ? message.parts
      : message.role === "tool"
        ? message.results.flatMap(({ content }) => content)
        : [];
  return parts.filter((part) => part.type === "image");
}

function userContent(parts: readonly UserPart[], encoding: ChatEncoding): string | readonly ChatPart[] {
  const content = parts.map((part) => userPart(part, encoding));
  if (content.length === 0) return EMPTY;
  const texts = content.filter((part) => part.type === "text");
  // Many servers know content as a string only: parts are for what is no text.
  return texts.length === content.length ? texts.map(({ text }) => text).join("\n\n") : content;
}

const EMPTY = "(empty)";

function userPart(part: UserPart, encoding: ChatEncoding): ChatPart {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return imagePart(part, encoding);
    case "resource": {
      const type = part.mediaType === undefined ? "" : ` type="${part.mediaType}"`;
      return { type: "text", text: `<resource uri="${part.uri}"${type}>\n${part.text}\n</resource>` };
    }
    case "link":
      return { type: "text", text: `[${part.name}](${part.uri})` };
  }
}

const DETAILS = ["auto", "low", "high"];

function imagePart(image: ImagePart, encoding: ChatEncoding): ChatPart {
  const known = encoding.image(image);
  if ("note" in known) return { type: "text", text: known.note };
  const { detail } = image;
  const isKnown = detail !== undefined && DETAILS.includes(detail);
  return { type: "image_url", image_url: isKnown ? { url: known.url, detail } : { url: known.url } };
}

function assistantMessage({ text, reasoning, calls, items }: AssistantMessage, model: string): ChatMessage {
  const { reasoningField, reasoningDetails, callExtras } = keptItems(items, model);
  if (calls.length === 0) return { role: "assistant", content: text.trim() === "" ? EMPTY : text };
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
function toolMessages(results: readonly ToolResultMessage[], encoding: ChatEncoding): readonly ChatMessage[] {
  const images: ChatPart[] = [];
  const messages = results.map(({ callId, content, isError, name }): ChatMessage => {
    const said = content
      .filter((part) => part.type === "text" || part.type === "image")
      .map((part) => {
        if (part.type === "text") return part.text;
        const shown = imagePart(part, encoding);
        if (shown.type === "text") return shown.text;
        images.push({ type: "text", text: `Image from ${name}:` }, shown);
        return "(The image follows.)";
      });
    const text = said.join("\n").trim() === "" ? "(no output)" : said.join("\n");
    return { role: "tool", tool_call_id: callId, content: isError ? `Error: ${text}` : text };
  });
  return images.length === 0 ? messages : [...messages, { role: "user", content: images }];
}
