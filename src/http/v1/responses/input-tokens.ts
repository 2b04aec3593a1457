import { estimateText, IMAGE_TOKENS, MESSAGE_TOKENS } from "../../../core/index.ts";
import type { HttpContext } from "../../server/context.ts";
import { decode } from "../../server/decode.ts";
import { badRequest } from "../../server/http-error.ts";
import { readJsonObject } from "../../server/json-body.ts";
import { readHistory, readItems } from "../../turns/request-input.ts";
import type { RequestMessage } from "../../turns/request-message.ts";
import type { ConversationsContext } from "../conversations/conversation-store.ts";
import { readGivenItems } from "./given-items.ts";
import { conversationName, ResponseRequest } from "./request.ts";

/** Answers `POST /v1/responses/input_tokens` with the length of a request for a response, without a turn. */
export async function countInputTokens(c: HttpContext, api: ConversationsContext): Promise<Response> {
  const request = decode(ResponseRequest, await readJsonObject(c, api.settings));
  const { input } = await readGivenItems(request.input, api.responses);
  const messages = messagesOf(input);
  const history = readHistory(request.conversation_history);
  const before = history === undefined ? await tokensBefore(request, api) : sumOf(history);
  const tokens = before + estimateText(request.instructions ?? "") + sumOf(messages);
  return c.json({ object: "response.input_tokens", input_tokens: tokens });
}

/** @throws HttpError 400 */
function messagesOf(input: unknown): readonly RequestMessage[] {
  if (input === undefined || input === null) return [];
  if (typeof input === "string") return readItems([input], "input");
  if (!Array.isArray(input)) throw badRequest("'input' must be a string or array", "input");
  return readItems(input, "input");
}

/** The tokens of the conversation that a request continues, as its model's provider counted them last. */
async function tokensBefore(
  { previous_response_id: previousId, conversation }: ResponseRequest,
  { responses, conversations }: ConversationsContext,
): Promise<number> {
  const name = conversationName(conversation);
  const previous =
    previousId === undefined || previousId === null || previousId.trim() === ""
      ? name && (await responses.latest(name))
      : await responses.previous(previousId.trim());
  const waiting = name === undefined ? undefined : await conversations.get(name);
  const added = sumOf(readItems(waiting?.items ?? [], "items"));
  return added + (previous ? (await responses.sessionOf(previous)).state.contextTokens : 0);
}

const sumOf = (messages: readonly RequestMessage[]): number =>
  messages.reduce((sum, message) => sum + MESSAGE_TOKENS + estimate(message), 0);

function estimate(message: RequestMessage): number {
  switch (message.role) {
    case "user":
      return message.parts.reduce(
        (sum, part) => sum + (part.type === "text" ? estimateText(part.text) : IMAGE_TOKENS),
        0,
      );
    case "assistant":
      return (
        estimateText(message.text) +
        estimateText(message.calls.length > 0 ? JSON.stringify(message.calls) : "")
      );
    case "system":
    case "tool":
      return estimateText(message.text);
  }
}
