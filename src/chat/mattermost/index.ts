import type { ChatPlatform } from "../port/platform.ts";
import { MATTERMOST_CAPABILITIES, MATTERMOST_LIMITS } from "./limits.ts";

/** Mattermost, through its REST API and its WebSocket: https://developers.mattermost.com/api-documentation/ */
export const MATTERMOST: ChatPlatform = {
  kind: "messenger_7",
  name: "mattermost",
  title: "Mattermost",
  secrets: [
    {
      name: "token",
      variable: "MATTERMOST_TOKEN",
      about:
        "the bot's access token: in Mattermost open Integrations, Bot Accounts, Add Bot Account, and copy the token",
    },
    {
      name: "webhookSecret",
      variable: "MATTERMOST_WEBHOOK_SECRET",
      about: "a secret of your own for buttons, 16 letters or digits at least",
      webhookOnly: true,
    },
  ],
  mode: "connection",
  capabilities: MATTERMOST_CAPABILITIES,
  limits: MATTERMOST_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).mattermostChannel(account, ports),
};
