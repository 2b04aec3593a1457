import { defined } from "../../../shared/json/defined.ts";
import { contentText } from "../../../core/index.ts";
import { z } from "zod";
import { decode, Switch } from "../../server/decode.ts";
import { badRequest } from "../../server/http-error.ts";
import { hasContent } from "../../turns/message-content.ts";
import type { RequestInput } from "../../turns/request-input.ts";
import {
  instructionsOf,
  partsOfMessage,
  readRequestMessage,
  type RequestMessage,
} from "../../turns/request-message.ts";

const MESSAGES = "Missing or invalid 'messages' field";

/** The body of a chat completion. What stands in it and is not used here is accepted. */
export const ChatRequest = z
  .looseObject({
    messages: z.array(z.unknown(), MESSAGES).min(1, MESSAGES),
    model: z.string().nullish(),
    stream: Switch(false),
    provider: z.string().nullish(),
    reasoning_effort: z.string().nullish(),
    include_reasoning: z.boolean().nullish().meta({
      description: "Tell what the model thinks, as `reasoning_content`; as the server is set by default.",
    }),
    model_options: z.looseObject({}).nullish(),
    tools: z.array(z.unknown()).nullish(),
    tool_choice: z.unknown().optional(),
  })
  .meta({ title: "ChatCompletionRequest" });

/** A chat completion, decoded. */
export type ChatRequest = z.output<typeof ChatRequest>;

/** A conversation as the host takes it: instructions, the messages before, and the prompt. */
export interface ChatConversation extends RequestInput {
  readonly instructions?: string;
  /** The first thing that a user said: with the instructions it names the conversation. */
  readonly opening: string;
}

/** @throws HttpError 400 */
export function readChatRequest(body: unknown) {
  const request = decode(ChatRequest, body);
  const messages = request.messages.flatMap((message, index) =>
    readRequestMessage(message, `messages[${index}]`),
  );
  return { request, conversation: conversationOf(messages) };
}

/** Splits messages: the last one of a user or assistant is the prompt, together with all that comes after it. */
function conversationOf(messages: readonly RequestMessage[]): ChatConversation {
  const said = messages.filter(({ role }) => role !== "system");
  const last = said.findLastIndex(({ role }) => role === "user" || role === "assistant");
  const prompt = said.slice(Math.max(0, last)).flatMap(partsOfMessage);
  if (!hasContent(prompt)) throw badRequest("No user message found in messages", "messages");
  const instructions = instructionsOf(messages);
  const first = said.find((message) => message.role === "user");
  return {
    before: said.slice(0, Math.max(0, last)),
    prompt: { parts: prompt, param: paramOf(said[last]) },
    opening: first === undefined ? "" : contentText(first.parts),
    ...defined({ instructions }),
  };
}

const paramOf = (message: RequestMessage | undefined): string =>
  message?.role === "user" ? message.param : "messages";
