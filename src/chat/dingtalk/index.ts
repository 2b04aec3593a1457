import type { ChatPlatform } from "../port/platform.ts";
import { DINGTALK_CAPABILITIES, DINGTALK_LIMITS } from "./limits.ts";

/** DingTalk, through the robot of an internal app, in stream mode: https://open-dingtalk.github.io/developerpedia/docs/learn/stream/overview */
export const DINGTALK: ChatPlatform = {
  kind: "messenger_9",
  name: "dingtalk",
  title: "DingTalk",
  baseUrl: "https://api.dingtalk.com",
  secrets: [
    {
      name: "clientSecret",
      variable: "DINGTALK_CLIENT_SECRET",
      about:
        "the Client Secret (AppSecret) of an internal app: open-dev.dingtalk.com, your app, Credentials; texts to one group alone need no app, but the token of its custom robot in DINGTALK_TOKEN",
    },
  ],
  from: "the Client ID (AppKey), which is the code of the app's robot too: open-dev.dingtalk.com, your app, Credentials",
  mode: "connection",
  capabilities: DINGTALK_CAPABILITIES,
  limits: DINGTALK_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).dingtalkChannel(account, ports),
};
