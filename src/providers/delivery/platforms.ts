import { DINGTALK } from "./dingtalk.ts";
import { DISCORD } from "./discord.ts";
import { FEISHU } from "./feishu.ts";
import { HOME_ASSISTANT } from "./home-assistant.ts";
import { MATRIX } from "./matrix.ts";
import { MATTERMOST } from "./mattermost.ts";
import type { Platform } from "./platform.ts";
import { SIGNAL } from "./signal.ts";
import { SLACK } from "./slack.ts";
import { TELEGRAM } from "./telegram.ts";
import { WECOM } from "./wecom.ts";
import { WHATSAPP } from "./whatsapp.ts";

/** The platforms that texts can be sent to. */
export const PLATFORMS: readonly Platform[] = [
  TELEGRAM,
  DISCORD,
  SLACK,
  SIGNAL,
  WHATSAPP,
  MATRIX,
  MATTERMOST,
  HOME_ASSISTANT,
  DINGTALK,
  FEISHU,
  WECOM,
];

/** Platforms of the interface that are not there yet: enabling one is refused, rather than losing what is sent. */
export const REFUSED_PLATFORMS: readonly { readonly kind: string; readonly name: string }[] = [
  { kind: "messenger_12", name: "weixin" },
  { kind: "messenger_13", name: "bluebubbles" },
  { kind: "messenger_14", name: "qq" },
];
