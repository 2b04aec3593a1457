import { EMAIL } from "./email/index.ts";
import { MATRIX } from "./matrix/index.ts";
import { MATTERMOST } from "./mattermost/index.ts";
import type { ChatPlatform } from "./port/platform.ts";
import { DINGTALK } from "./dingtalk/index.ts";
import { FEISHU } from "./feishu/index.ts";
import { DISCORD } from "./discord/index.ts";
import { SIGNAL } from "./signal/index.ts";
import { SLACK } from "./slack/index.ts";
import { TELEGRAM } from "./telegram/index.ts";
import { WECOM } from "./wecom/index.ts";
import { WHATSAPP } from "./whatsapp/index.ts";

/** The chat platforms that people can talk to the agent on. */
export const CHAT_PLATFORMS: readonly ChatPlatform[] = [
  TELEGRAM,
  DISCORD,
  SLACK,
  SIGNAL,
  WHATSAPP,
  MATRIX,
  MATTERMOST,
  EMAIL,
  FEISHU,
  DINGTALK,
  WECOM,
];
