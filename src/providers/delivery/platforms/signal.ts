import { byStatus, type MessagingPlatform } from "../messaging-platform.ts";

/** https://github.com/bbernhard/signal-cli-rest-api, the bridge that most people run; `from` is the own number. */
export const SIGNAL: MessagingPlatform = {
  kind: "messenger_4",
  name: "signal",
  limit: 2000,
  open: true,
  needsFrom: true,
  call: ({ chatId, text }, { from }) => ({
    path: "/v2/send",
    body: { message: text, number: from, recipients: [chatId] },
  }),
  refusal: (answer) => byStatus(answer, answer.body["error"]),
};
