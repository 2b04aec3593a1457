import { toHostError } from "../../shared/errors/host-error.ts";
import type { MessageEdit } from "../port/outgoing.ts";
import type { TelegramApi } from "./api.ts";
import { keyboard } from "./send.ts";

/** Changes a message; one that looks so already is none to be changed. */
export async function editMessage(
  api: TelegramApi,
  { place, messageId, text, buttons }: MessageEdit,
  signal: AbortSignal,
): Promise<void> {
  const body = {
    chat_id: place.chatId,
    message_id: Number(messageId),
    text,
    parse_mode: "HTML",
    link_preview_options: { is_disabled: true },
    ...keyboard(buttons),
  };
  try {
    await api.call("editMessageText", body, { signal });
  } catch (thrown) {
    if (!/message is not modified/i.test(toHostError(thrown).message)) throw thrown;
  }
}
