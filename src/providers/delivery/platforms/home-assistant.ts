import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

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
