import type { ChatPlatform } from "../port/platform.ts";
import { TELEGRAM_CAPABILITIES, TELEGRAM_LIMITS } from "./limits.ts";

/** Telegram, through its Bot API: https://core.telegram.org/bots/api */
export const TELEGRAM: ChatPlatform = {
  kind: "messenger_1",
  name: "telegram",
  title: "Telegram",
  baseUrl: "https://api.telegram.org",
  secrets: [
    {
      name: "token",
      variable: "TELEGRAM_TOKEN",
      about:
        "the bot's token: in Telegram write /newbot to @BotFather, choose a name, and copy what it answers",
    },
    {
      name: "webhookSecret",
      variable: "TELEGRAM_WEBHOOK_SECRET",
      about: "a secret of your own for extra.mode: webhook, 16 letters or digits at least",
      webhookOnly: true,
    },
  ],
  mode: "connection",
  capabilities: TELEGRAM_CAPABILITIES,
  limits: TELEGRAM_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).telegramChannel(account, ports),
};
