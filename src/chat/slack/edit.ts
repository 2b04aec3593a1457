import type { MessageEdit } from "../port/outgoing.ts";
import type { SlackApi } from "./api.ts";
import { blocksOf } from "./send.ts";

/** Changes a message; its metadata stays. https://docs.slack.dev/reference/methods/chat.update */
export async function updateMessage(
  api: SlackApi,
  { place, messageId, text, buttons = [] }: MessageEdit,
  signal: AbortSignal,
): Promise<void> {
  await api.call(
    "chat.update",
    // An empty list takes the buttons away.
    { channel: place.chatId, ts: messageId, text, link_names: false, blocks: blocksOf(text, buttons) },
    { signal },
  );
}
