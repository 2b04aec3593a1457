import {
  byStatus,
  type MessagingPlatform,
  type PlatformAnswer,
  type PlatformRefusal,
} from "../messaging-platform.ts";

/** https://open.dingtalk.com/document/robots/custom-robot-access */
export const DINGTALK_ROBOT: MessagingPlatform = {
  kind: "messenger_9",
  name: "dingtalk",
  baseUrl: "https://oapi.dingtalk.com",
  limit: 4000,
  oneChat: true,
  call: ({ text }, { token }) => ({
    path: `/robot/send?access_token=${encodeURIComponent(token)}`,
    body: { msgtype: "text", text: { content: text }, at: { isAtAll: false } },
  }),
  refusal: (answer) =>
    byCode(answer, { code: answer.body["errcode"], text: answer.body["errmsg"], busy: [130101] }),
};

/** https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot */
export const FEISHU_ROBOT: MessagingPlatform = {
  kind: "messenger_10",
  name: "feishu",
  baseUrl: "https://open.feishu.cn",
  limit: 4000,
  oneChat: true,
  call: ({ text }, { token }) => ({
    path: `/open-apis/bot/v2/hook/${encodeURIComponent(token)}`,
    body: { msg_type: "text", content: { text } },
  }),
  refusal: (answer) => byCode(answer, { code: answer.body["code"], text: answer.body["msg"], busy: [11232] }),
};

/** https://developer.work.weixin.qq.com/document/path/91770; a message has at most 2,048 bytes. */
export const WECOM_ROBOT: MessagingPlatform = {
  kind: "messenger_11",
  name: "wecom",
  baseUrl: "https://qyapi.weixin.qq.com",
  limit: 650,
  oneChat: true,
  call: ({ text }, { token }) => ({
    path: `/cgi-bin/webhook/send?key=${encodeURIComponent(token)}`,
    body: { msgtype: "text", text: { content: text } },
  }),
  refusal: (answer) =>
    byCode(answer, { code: answer.body["errcode"], text: answer.body["errmsg"], busy: [45009] }),
};

/**
 * The refusal of services that answer 200 with a code in the body.
 *
 * @param busy - codes that mean: too fast
 */
function byCode(
  answer: PlatformAnswer,
  { code, text, busy }: { readonly code: unknown; readonly text: unknown; readonly busy: readonly number[] },
): PlatformRefusal | undefined {
  if (answer.status >= 300) return byStatus(answer, text);
  if (code === 0) return undefined;
  const message = typeof text === "string" && text !== "" ? text : `code ${String(code)}`;
  return busy.includes(Number(code)) ? { message, waitMs: BUSY_MS } : { message };
}

const BUSY_MS = 60_000;
