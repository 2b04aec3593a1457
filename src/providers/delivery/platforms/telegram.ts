import { defined } from "../../../shared/json/defined.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { TELEGRAM_HTML } from "../markdown/flavour.ts";
import type { MessagingPlatform } from "../messaging-platform.ts";

/** https://core.telegram.org/bots/api#sendmessage */
export const TELEGRAM: MessagingPlatform = {
  kind: "messenger_1",
  name: "telegram",
  baseUrl: "https://api.telegram.org",
  limit: 4096,
  flavour: TELEGRAM_HTML,
  call: ({ chatId, threadId, text }, { token }) => ({
    path: `/bot${token}/sendMessage`,
    body: {
      chat_id: chatId,
      text,
      parse_mode: "HTML",
      ...defined({ message_thread_id: threadId === undefined ? undefined : Number(threadId) }),
    },
  }),
  refusal({ status, body }) {
    if (body["ok"] === true) return undefined;
    const { description, parameters } = body;
    const message = typeof description === "string" ? description : `status ${status}`;
    const seconds = isJsonObject(parameters) ? Number(parameters["retry_after"]) : Number.NaN;
    return seconds > 0 ? { message, waitMs: 1000 * seconds } : { message };
  },
};
