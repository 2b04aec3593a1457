import type { ChatPlatform } from "../port/platform.ts";
import { DISCORD_CAPABILITIES, DISCORD_LIMITS } from "./limits.ts";

/** Discord, through its gateway and its HTTP API: https://docs.discord.com/developers/reference */
export const DISCORD: ChatPlatform = {
  kind: "messenger_2",
  name: "discord",
  title: "Discord",
  baseUrl: "https://discord.com/api/v10",
  secrets: [
    {
      name: "token",
      variable: "DISCORD_TOKEN",
      about:
        "the bot's token: at discord.com/developers/applications choose the application, Bot, Reset Token, and copy it",
    },
  ],
  mode: "connection",
  capabilities: DISCORD_CAPABILITIES,
  limits: DISCORD_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).discordChannel(account, ports),
};
