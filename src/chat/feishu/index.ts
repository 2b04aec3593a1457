import type { ChatPlatform } from "../port/platform.ts";
import { FEISHU_CAPABILITIES, FEISHU_LIMITS } from "./limits.ts";

/** Feishu, and Lark abroad, through the bot of a self-built app: https://open.feishu.cn/document/server-docs/im-v1/introduction */
export const FEISHU: ChatPlatform = {
  kind: "messenger_10",
  name: "feishu",
  title: "Feishu",
  baseUrl: "https://open.feishu.cn",
  secrets: [
    {
      name: "appSecret",
      variable: "FEISHU_APP_SECRET",
      about:
        "the App Secret of a self-built app: open.feishu.cn/app, your app, Credentials & Basic Info; texts to one group alone need no app, but the token of its robot in FEISHU_TOKEN",
    },
    {
      name: "encryptKey",
      variable: "FEISHU_ENCRYPT_KEY",
      about:
        "the Encrypt Key for extra.mode: webhook: open.feishu.cn/app, your app, Events & Callbacks, Encryption Strategy",
      webhookOnly: true,
    },
    {
      name: "verificationToken",
      variable: "FEISHU_VERIFICATION_TOKEN",
      about: "the Verification Token, on the same page as the Encrypt Key",
      webhookOnly: true,
    },
  ],
  from: "the App ID, which begins with cli_: open.feishu.cn/app, your app, Credentials & Basic Info",
  mode: "connection",
  capabilities: FEISHU_CAPABILITIES,
  limits: FEISHU_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).feishuChannel(account, ports),
};
