import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

const WAYS = { user: "/v2/users/", group: "/v2/groups/", channel: "/channels/" } as const;
/** Too many messages at once. */
const TOO_FAST = 22009;
const BUSY_MS = 60_000;

/**
 * https://bot.q.qq.com/wiki/develop/api-v2/server-inter/message/send-receive/send.html; `from` is the bot's app id, the
 * token its secret. The chat is `group/<openid>`, `user/<openid>` or `channel/<id>`; the thread is the message that is
 * answered, without which the platform takes hardly anything.
 */
export const QQ: MessagingPlatform = {
  kind: "messenger_14",
  name: "qq",
  baseUrl: "https://api.sgroup.qq.com",
  limit: 2000,
  threads: true,
  needsFrom: true,
  access: {
    baseUrl: "https://bots.qq.com",
    path: "/app/getAppAccessToken",
    body: ({ token, from }) => ({ appId: from, clientSecret: token }),
    token: ({ body }) => ({ token: body["access_token"], seconds: Number(body["expires_in"]) }),
  },
  call: ({ chatId, threadId, text, part }, { token }) => ({
    path: pathOf(chatId),
    headers: { authorization: `QQBot ${token}` },
    body: {
      content: text,
      msg_type: 0,
      ...(threadId === undefined ? {} : { msg_id: threadId, msg_seq: part }),
    },
  }),
  refusal(answer) {
    const refusal = byStatus(answer, answer.body["message"]);
    return refusal !== undefined && answer.body["code"] === TOO_FAST
      ? { ...refusal, waitMs: BUSY_MS }
      : refusal;
  },
};

/** A bare id is that of a group. */
function pathOf(chat: string): string {
  const [way = "", id] = chat.split("/");
  const [base, openid] =
    id === undefined
      ? [WAYS.group, chat]
      : [way === "user" || way === "channel" ? WAYS[way] : WAYS.group, id];
  return `${base}${encodeURIComponent(openid)}/messages`;
}
