import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

/** https://discord.com/developers/docs/resources/message#create-message; a thread is a channel of its own. */
export const DISCORD: MessagingPlatform = {
  kind: "messenger_2",
  name: "discord",
  baseUrl: "https://discord.com/api/v10",
  limit: 2000,
  threads: true,
  readsMarkdown: true,
  call: ({ chatId, threadId, text, once }, { token }) => ({
    path: `/channels/${encodeURIComponent(threadId ?? chatId)}/messages`,
    headers: { authorization: `Bot ${token}` },
    // A model's text must not notify everybody.
    body: { content: text, allowed_mentions: { parse: [] }, nonce: once, enforce_nonce: true },
  }),
  refusal(answer) {
    const seconds = Number(answer.body["retry_after"]);
    const refusal = byStatus(answer, answer.body["message"]);
    return refusal !== undefined && seconds > 0 ? { ...refusal, waitMs: 1000 * seconds } : refusal;
  },
};
