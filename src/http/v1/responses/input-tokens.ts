import { estimateText, IMAGE_TOKENS, MESSAGE_TOKENS } from "../../../core/index.ts";
import { type ApiRoute, route } from "../../server/api-route.ts";
import { decode } from "../../server/decode.ts";
import { badRequest } from "../../server/http-error.ts";
import { readJsonObject } from "../../server/json-body.ts";
import type { ApiContext } from "../../turns/api-context.ts";
import { readHistory, readItems } from "../../turns/request-input.ts";
import type { RequestMessage } from "../../turns/request-message.ts";
import type { ConversationStores } from "../conversations/conversation-store.ts";
import { readGivenItems } from "./given-items.ts";
import { conversationName, ResponseRequest } from "./request.ts";

/** Declares the route that tells how long a request for a response is, without a turn. */
export const inputTokensRoute = (api: ApiContext, stores: ConversationStores): ApiRoute =>
  route(
    "POST /v1/responses/input_tokens",
    async (c) => {
      const request = decode(ResponseRequest, await readJsonObject(c, api.settings));
      const { input } = await readGivenItems(request.input, stores.responses);
      const messages = messagesOf(input);
      const history = readHistory(request.conversation_history);
      const before = history === undefined ? await tokensBefore(request, stores) : sumOf(history);
      const tokens = before + estimateText(request.instructions ?? "") + sumOf(messages);
      return c.json({ object: "response.input_tokens", input_tokens: tokens });
    },
    {
      id: "countInputTokens",
      summary: "An estimate of the tokens of a request, with the conversation that it continues",
      endpoint: "response_input_tokens",
      body: ResponseRequest,
    },
  );

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
  { responses, conversations }: ConversationStores,
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
