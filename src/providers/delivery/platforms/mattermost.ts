import { defined } from "../../../shared/json/defined.ts";
import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

/** https://developers.mattermost.com/api-documentation/#/operations/CreatePost */
export const MATTERMOST: MessagingPlatform = {
  kind: "messenger_7",
  name: "mattermost",
  limit: 16_383,
  threads: true,
  readsMarkdown: true,
  call: ({ chatId, threadId, text }, { token }) => ({
    path: "/api/v4/posts",
    headers: { authorization: `Bearer ${token}` },
    body: { channel_id: chatId, message: text, ...defined({ root_id: threadId }) },
  }),
  refusal: (answer) => byStatus(answer, answer.body["message"]),
};
