import type {
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import type { AssistantMessage, ModelMessage, ToolResultMessage } from "../../../../core/index.ts";
import { partsInOrder, orderedItems } from "../../reply/reply-order.ts";
import {
  dataUrl,
  EMPTY_TEXT,
  type EncodedContent,
  encodePrompt,
  encodeToolResult,
  type EncodingContext,
} from "../../request/content-encoding.ts";
import { RESPONSES_ITEMS } from "./reply.ts";

/** Encodes a message of a conversation as input items: a reply is one for each thing that it consists of. */
export function toInputItems(message: ModelMessage, encoding: EncodingContext): readonly ResponseInputItem[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: encodePrompt(message.parts, encoding).map(contentPart) }];
    case "assistant":
      return replyItems(message, encoding.reader);
    case "tool":
      return message.results.map((result) => resultItem(result, encoding));
  }
}

function contentPart(said: EncodedContent): ResponseInputContent {
  if (said.type === "text") return { type: "input_text", text: said.text };
  // Of the words that are known elsewhere these three are also known here.
  const detail = (said.detail ?? "auto") as "auto" | "low" | "high";
  return { type: "input_image", image_url: dataUrl(said), detail };
}

function replyItems(message: AssistantMessage, reader: string | undefined): readonly ResponseInputItem[] {
  const order = orderedItems(message.items, { dialect: RESPONSES_ITEMS, reader });
  const items = partsInOrder<ResponseInputItem>(message, order, {
    // Only what an endpoint sent as such an item was kept as one.
    opaque: (item) => item as unknown as ResponseReasoningItem,
    text: (text, phase) => ({ role: "assistant", content: text, ...phaseOf(phase) }),
    call: ({ id, name, input }) => ({
      type: "function_call",
      call_id: id,
      name,
      arguments: JSON.stringify(input),
    }),
  });
  // Reasoning is refused when nothing follows it.
  return items.some((item) => item.type !== "reasoning")
    ? items
    : [{ role: "assistant", content: EMPTY_TEXT }];
}

const phaseOf = (phase: string | undefined): { readonly phase?: "commentary" | "final_answer" } =>
  phase === "commentary" || phase === "final_answer" ? { phase } : {};

function resultItem(result: ToolResultMessage, encoding: EncodingContext): ResponseInputItem {
  const said = encodeToolResult(result, encoding);
  const words = said.map((part) => (part.type === "text" ? part.text : ""));
  const prefix = result.isError ? "Error: " : "";
  const hasImages = said.some(({ type }) => type === "image");
  const lead: readonly EncodedContent[] = result.isError ? [{ type: "text", text: "Error:" }] : [];
  return {
    type: "function_call_output",
    call_id: result.callId,
    output: hasImages ? [...lead, ...said].map(outputPart) : prefix + words.join("\n"),
  };
}

function outputPart(
  said: EncodedContent,
): { type: "input_text"; text: string } | { type: "input_image"; image_url: string } {
  return said.type === "text"
    ? { type: "input_text", text: said.text }
    : { type: "input_image", image_url: dataUrl(said) };
}
