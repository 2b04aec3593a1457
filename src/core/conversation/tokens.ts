import type { ToolContent, UserPart } from "../events/content.ts";
import type { ModelMessage } from "../ports/model-message.ts";

const KNOWN = new WeakMap<ModelMessage, number>();

/** Tokens of a large picture, with most providers. */
export const IMAGE_TOKENS = 1100;
/** Tokens of a message beside its text: role, separators, ids. */
export const MESSAGE_TOKENS = 4;

/** Estimated tokens of messages: four characters of Latin text are one, a CJK character is one. */
export function estimateTokens(messages: readonly ModelMessage[]): number {
  let sum = 0;
  for (const message of messages) {
    let tokens = KNOWN.get(message);
    if (tokens === undefined) {
      tokens = estimateMessage(message);
      KNOWN.set(message, tokens);
    }
    sum += tokens;
  }
  return sum;
}

function estimateMessage(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return MESSAGE_TOKENS + estimateParts(message.parts);
    case "assistant":
      return (
        MESSAGE_TOKENS +
        estimateText(message.text) +
        estimateText(message.calls.length > 0 ? JSON.stringify(message.calls) : "")
      );
    case "tool":
      return message.results.reduce((sum, { content }) => sum + MESSAGE_TOKENS + estimateParts(content), 0);
  }
}

function estimateParts(parts: readonly (UserPart | ToolContent)[]): number {
  let sum = 0;
  for (const part of parts) {
    if (part.type === "image") sum += IMAGE_TOKENS;
    else if (part.type === "text" || part.type === "resource") sum += estimateText(part.text);
  }
  return sum;
}

const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]/g;

/** About how many tokens a text is: a quarter of its characters, and one for each wide one. */
export function estimateText(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
}
