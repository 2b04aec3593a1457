import { PLAIN } from "../markdown/flavour.ts";
import { byCode, type MessagingPlatform } from "../messaging-platform.ts";

/** https://developer.work.weixin.qq.com/document/path/91770; a message has at most 2,048 bytes. */
export const WECOM: MessagingPlatform = {
  kind: "messenger_11",
  name: "wecom",
  baseUrl: "https://qyapi.weixin.qq.com",
  limit: 650,
  oneChat: true,
  flavour: PLAIN,
  call: ({ text }, { token }) => ({
    path: `/cgi-bin/webhook/send?key=${encodeURIComponent(token)}`,
    body: { msgtype: "text", text: { content: text } },
  }),
  refusal: (answer) =>
    byCode(answer, { code: answer.body["errcode"], text: answer.body["errmsg"], busy: [45009] }),
};
