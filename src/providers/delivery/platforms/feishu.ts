import { PLAIN } from "../markdown/flavour.ts";
import { byCode, type MessagingPlatform } from "../messaging-platform.ts";

/** https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot */
export const FEISHU: MessagingPlatform = {
  kind: "messenger_10",
  name: "feishu",
  baseUrl: "https://open.feishu.cn",
  limit: 4000,
  oneChat: true,
  flavour: PLAIN,
  call: ({ text }, { token }) => ({
    path: `/open-apis/bot/v2/hook/${encodeURIComponent(token)}`,
    body: { msg_type: "text", content: { text } },
  }),
  refusal: (answer) => byCode(answer, { code: answer.body["code"], text: answer.body["msg"], busy: [11232] }),
};
