import type { ChatPlatform } from "../port/platform.ts";
import { WECOM_CAPABILITIES, WECOM_LIMITS } from "./limits.ts";

/** WeCom, through the long connection of an AI bot, or through a self-built app that WeCom posts to: https://developer.work.weixin.qq.com/document/path/101463 */
export const WECOM: ChatPlatform = {
  kind: "messenger_11",
  name: "wecom",
  title: "WeCom",
  baseUrl: "https://qyapi.weixin.qq.com",
  secrets: [
    {
      name: "secret",
      variable: "WECOM_SECRET",
      about:
        "the Secret of an AI bot in API mode with long connection, or with extra.mode: webhook that of a self-built app; texts to one group alone need neither, but the key of its robot in WECOM_TOKEN",
    },
    {
      name: "callbackToken",
      variable: "WECOM_CALLBACK_TOKEN",
      about:
        "the Token for extra.mode: webhook: work.weixin.qq.com, your app, Receive messages, Set API receiving",
      webhookOnly: true,
    },
    {
      name: "aesKey",
      variable: "WECOM_AES_KEY",
      about: "the EncodingAESKey, on the same page as the Token",
      webhookOnly: true,
    },
  ],
  from: "the Bot ID of an AI bot; with extra.mode: webhook the id of your corporation and the AgentId of the app, as ww0123/1000002",
  mode: "connection",
  capabilities: WECOM_CAPABILITIES,
  limits: WECOM_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).wecomChannel(account, ports),
};
