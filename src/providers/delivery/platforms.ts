import { DISCORD } from "./discord.ts";
import { HOME_ASSISTANT } from "./home-assistant.ts";
import { MATRIX } from "./matrix.ts";
import { MATTERMOST } from "./mattermost.ts";
import type { Platform } from "./platform.ts";
import { SLACK } from "./slack.ts";
import { TELEGRAM } from "./telegram.ts";

/** The platforms that texts can be sent to. */
export const PLATFORMS: readonly Platform[] = [TELEGRAM, DISCORD, SLACK, MATRIX, MATTERMOST, HOME_ASSISTANT];

/** Platforms of the interface that are not there yet: enabling one is refused, rather than losing what is sent. */
export const REFUSED_PLATFORMS: readonly { readonly kind: string; readonly name: string }[] = [
  { kind: "messenger_4", name: "signal" },
  { kind: "messenger_5", name: "whatsapp" },
  { kind: "messenger_9", name: "dingtalk" },
  { kind: "messenger_10", name: "feishu" },
  { kind: "messenger_11", name: "wecom" },
  { kind: "messenger_12", name: "weixin" },
  { kind: "messenger_13", name: "bluebubbles" },
  { kind: "messenger_14", name: "qq" },
];
