import { defined } from "../../../shared/json/defined.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { TELEGRAM_HTML } from "../markdown/flavour.ts";
import type { MessagingPlatform } from "../messaging-platform.ts";

/** https://core.telegram.org/bots/api#sendmessage */
export const TELEGRAM: MessagingPlatform = {
  kind: "messenger_1",
  name: "telegram",
  baseUrl: "https://api.telegram.org",
  limit: 4096,
  threads: true,
  flavour: TELEGRAM_HTML,
  call: ({ chatId, threadId, text }, { token }) => ({
    path: `/bot${token}/sendMessage`,
    body: {
      chat_id: chatId,
      text,
      parse_mode: "HTML",
      ...defined({ message_thread_id: threadId === undefined ? undefined : topic(threadId) }),
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

function topic(threadId: string): number {
  if (/^\d{1,15}$/.test(threadId)) return Number(threadId);
  throw new HostError(
    "invalid_params",
    `telegram: the thread ${JSON.stringify(threadId.slice(0, 80))} is no number of a topic.`,
  );
}
