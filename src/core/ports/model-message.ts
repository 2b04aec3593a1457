import type { ToolContent, UserPart } from "../events/content.ts";
import type { ReplyItems, ToolCall } from "../events/reply.ts";

/** A conversation in no dialect. Users and assistants alternate; each assistant call has its result right after it. */
export type ModelMessage =
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | AssistantMessage
  | { readonly role: "tool"; readonly results: readonly ToolResultMessage[] };

/** A model's reply, as it is sent back to models. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly items?: ReplyItems;
}

/** The result of a call, as models are told. */
export interface ToolResultMessage {
  readonly callId: string;
  readonly name: string;
  readonly content: readonly ToolContent[];
  readonly isError: boolean;
}
