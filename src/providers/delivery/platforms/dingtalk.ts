import { PLAIN } from "../markdown/flavour.ts";
import { byCode, type MessagingPlatform } from "../messaging-platform.ts";

/** https://open.dingtalk.com/document/robots/custom-robot-access */
export const DINGTALK: MessagingPlatform = {
  kind: "messenger_9",
  name: "dingtalk",
  baseUrl: "https://oapi.dingtalk.com",
  limit: 4000,
  oneChat: true,
  flavour: PLAIN,
  call: ({ text }, { token }) => ({
    path: `/robot/send?access_token=${encodeURIComponent(token)}`,
    body: { msgtype: "text", text: { content: text }, at: { isAtAll: false } },
  }),
  refusal: (answer) =>
    byCode(answer, { code: answer.body["errcode"], text: answer.body["errmsg"], busy: [130101] }),
};
