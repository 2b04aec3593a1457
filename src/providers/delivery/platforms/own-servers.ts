import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";
import { isJsonObject } from "../../../shared/json/json.ts";

/** https://developers.home-assistant.io/docs/api/rest (services); the chat is the name of a notify service. */
export const HOME_ASSISTANT: MessagingPlatform = {
  kind: "messenger_8",
  name: "home_assistant",
  limit: 10_000,
  call: ({ chatId, text }, { token }) => ({
    path: `/api/services/notify/${encodeURIComponent(chatId)}`,
    headers: { authorization: `Bearer ${token}` },
    body: { message: text },
  }),
  refusal: (answer) => byStatus(answer, answer.body["message"]),
};

/**
 * https://docs.bluebubbles.app/server/developer-guides/rest-api-and-webhooks, `POST /api/v1/message/text`; the chat is
 * a chat's guid, or the address of one person. The token is the server's password.
 */
export const BLUEBUBBLES: MessagingPlatform = {
  kind: "messenger_13",
  name: "bluebubbles",
  limit: 10_000,
  call: ({ chatId, text, once }, { token }) => ({
    path: `/api/v1/message/text?password=${encodeURIComponent(token)}`,
    body: {
      chatGuid: chatId.includes(";") ? chatId : `iMessage;-;${chatId}`,
      tempGuid: once,
      message: text,
      method: "apple-script",
    },
  }),
  refusal(answer) {
    const { error, message } = answer.body;
    return byStatus(answer, isJsonObject(error) ? (error["message"] ?? message) : message);
  },
};
