import type { ChatPlatform } from "../port/platform.ts";
import { WHATSAPP_CAPABILITIES, WHATSAPP_LIMITS } from "./limits.ts";

/** WhatsApp, through Meta's Cloud API: https://developers.facebook.com/documentation/business-messaging/whatsapp */
export const WHATSAPP: ChatPlatform = {
  kind: "messenger_5",
  name: "whatsapp",
  title: "WhatsApp",
  baseUrl: "https://graph.facebook.com/v23.0",
  secrets: [
    {
      name: "token",
      variable: "WHATSAPP_TOKEN",
      about:
        "the access token of a system user: in Meta's business settings open System users, Generate new token, with whatsapp_business_messaging",
    },
    {
      name: "appSecret",
      variable: "WHATSAPP_APP_SECRET",
      about: "the app's secret, by which requests are signed: on developers.facebook.com App settings, Basic",
      webhookOnly: true,
    },
    {
      name: "verifyToken",
      variable: "WHATSAPP_VERIFY_TOKEN",
      about: "a secret of your own, which you also write into Verify token of the app's webhook",
      webhookOnly: true,
    },
  ],
  from: "the Phone number ID, in WhatsApp, API Setup of your app on developers.facebook.com",
  mode: "webhook",
  capabilities: WHATSAPP_CAPABILITIES,
  limits: WHATSAPP_LIMITS,
  open: async (account, ports) => (await import("./channel.ts")).whatsappChannel(account, ports),
};
