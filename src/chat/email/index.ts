import type { ChatPlatform } from "../port/platform.ts";
import { EMAIL_CAPABILITIES, EMAIL_LIMITS } from "./limits.ts";
import { missingToReceive } from "./missing.ts";

/** Mail: it goes out by SMTP, and comes by IMAP (https://www.rfc-editor.org/rfc/rfc9051). */
export const EMAIL: ChatPlatform = {
  kind: "email",
  name: "email",
  title: "E-mail",
  server: "smtp",
  secrets: [
    {
      name: "token",
      variable: "EMAIL_PASSWORD",
      about: "the password of the mail account, or one that its provider makes for programs",
      withUser: true,
    },
  ],
  from: "the address that mails come from, such as agent@example.org",
  mode: "connection",
  capabilities: EMAIL_CAPABILITIES,
  limits: EMAIL_LIMITS,
  missingToReceive,
  open: async (account, ports) => (await import("./channel.ts")).emailChannel(account, ports),
};
