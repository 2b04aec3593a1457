import { isJsonObject } from "../../../shared/json/json.ts";
import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

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
