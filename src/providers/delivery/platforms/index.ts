import { BLUEBUBBLES } from "./bluebubbles.ts";
import { DINGTALK } from "./dingtalk.ts";
import { DISCORD } from "./discord.ts";
import { FEISHU } from "./feishu.ts";
import { HOME_ASSISTANT } from "./home-assistant.ts";
import { MATRIX } from "./matrix.ts";
import { MATTERMOST } from "./mattermost.ts";
import type { MessagingPlatform } from "../messaging-platform.ts";
import { QQ } from "./qq.ts";
import { SIGNAL } from "./signal.ts";
import { SLACK } from "./slack.ts";
import { TELEGRAM } from "./telegram.ts";
import { WECOM } from "./wecom.ts";
import { WHATSAPP } from "./whatsapp.ts";

/** The platforms that texts can be sent to. */
export const PLATFORMS: readonly MessagingPlatform[] = [
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
  BLUEBUBBLES,
  QQ,
];

interface RefusedPlatform {
  readonly kind: string;
  readonly name: string;
  readonly why: string;
}

/** Platforms that cannot be sent to: enabling one is refused, so that no text is lost. */
export const REFUSED_PLATFORMS: readonly RefusedPlatform[] = [
  {
    kind: "messenger_12",
    name: "weixin",
    why: "its bots may only answer a message that they have just received, so that nothing can be sent by itself. Use wecom",
  },
];
