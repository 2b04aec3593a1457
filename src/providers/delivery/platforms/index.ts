import { BLUEBUBBLES, HOME_ASSISTANT } from "./own-servers.ts";
import { DINGTALK_ROBOT, FEISHU_ROBOT, WECOM_ROBOT } from "./group-robots.ts";
import type { MessagingPlatform } from "../messaging-platform.ts";
import { QQ } from "./qq.ts";

/** The platforms that texts can be sent to. */
export const PLATFORMS: readonly MessagingPlatform[] = [
  HOME_ASSISTANT,
  DINGTALK_ROBOT,
  FEISHU_ROBOT,
  WECOM_ROBOT,
  BLUEBUBBLES,
  QQ,
];

/** Platforms that cannot be sent to: enabling one is refused, so that no text is lost. */
export const REFUSED_PLATFORMS: readonly (Pick<MessagingPlatform, "kind" | "name"> & {
  readonly why: string;
})[] = [
  {
    kind: "messenger_12",
    name: "weixin",
    why: "its bots may only answer a message that they have just received, so that nothing can be sent by itself. Use wecom",
  },
];
