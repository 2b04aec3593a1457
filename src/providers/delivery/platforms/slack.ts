import { defined } from "../../../shared/json/defined.ts";
import { SLACK_MRKDWN } from "../markdown/flavour.ts";
import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

/** https://docs.slack.dev/reference/methods/chat.postMessage */
export const SLACK: MessagingPlatform = {
  kind: "messenger_3",
  name: "slack",
  baseUrl: "https://slack.com/api",
  limit: 4000,
  threads: true,
  flavour: SLACK_MRKDWN,
  call: ({ chatId, threadId, text }, { token }) => ({
    path: "/chat.postMessage",
    headers: { authorization: `Bearer ${token}` },
    body: { channel: chatId, text, ...defined({ thread_ts: threadId }) },
  }),
  refusal(answer) {
    const { ok, error } = answer.body;
    if (answer.status >= 300) return byStatus(answer, error);
    return ok === true ? undefined : { message: typeof error === "string" ? error : "not taken" };
  },
};
