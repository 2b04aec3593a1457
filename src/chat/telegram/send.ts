import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { Button, OutgoingFile, OutgoingMessage } from "../port/outgoing.ts";
import type { ChatPlace } from "../port/place.ts";
import type { TelegramApi } from "./api.ts";

/** Posts a message, or a file with the text as its caption; gives its id. */
export async function sendMessage(
  api: TelegramApi,
  message: OutgoingMessage,
  signal: AbortSignal,
): Promise<string> {
  const { text, buttons, replyTo, file } = message;
  const common = {
    ...placeFields(message.place),
    parse_mode: "HTML",
    ...(replyTo === undefined
      ? {}
      : { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } }),
    ...(buttons === undefined ? {} : keyboard(buttons)),
  };
  const sent =
    file === undefined
      ? await api.call(
          "sendMessage",
          { ...common, text, link_preview_options: { is_disabled: true } },
          { signal },
        )
      : await sendFile(api, { ...file, fields: { ...common, caption: text } }, signal);
  const id = isJsonObject(sent) ? sent["message_id"] : undefined;
  return typeof id === "number" ? String(id) : "";
}

/** The fields that name a place. @throws HostError `invalid_params` for a thread that is no topic's number */
export function placeFields({ chatId, threadId }: ChatPlace): Readonly<Record<string, unknown>> {
  if (threadId === undefined) return { chat_id: chatId };
  if (/^\d{1,15}$/.test(threadId)) return { chat_id: chatId, message_thread_id: Number(threadId) };
  throw new HostError(
    "invalid_params",
    `telegram: the thread ${JSON.stringify(threadId.slice(0, 80))} is no number of a topic.`,
  );
}

/** The keyboard under a message; an empty one takes away what was there. */
export const keyboard = (buttons: readonly Button[] = []): Readonly<Record<string, unknown>> => ({
  reply_markup: {
    inline_keyboard: buttons.map(({ label, value }) => [{ text: label, callback_data: value }]),
  },
});

/** https://core.telegram.org/bots/api#sendphoto */
const PHOTOS: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp"]);
const LARGEST_PHOTO = 10_000_000;

async function sendFile(
  api: TelegramApi,
  { name, mediaType, bytes, fields }: OutgoingFile & { readonly fields: Readonly<Record<string, unknown>> },
  signal: AbortSignal,
): Promise<unknown> {
  const isPhoto = PHOTOS.has(mediaType) && bytes.length <= LARGEST_PHOTO;
  const send = (field: "photo" | "document"): Promise<unknown> =>
    api.call(field === "photo" ? "sendPhoto" : "sendDocument", fields, {
      file: { field, name, mediaType, bytes },
      signal,
    });
  if (!isPhoto) return await send("document");
  try {
    return await send("photo");
  } catch (thrown) {
    // It is too wide, too high, or too narrow for a photo.
    if (toHostError(thrown).code !== "invalid_params") throw thrown;
    return await send("document");
  }
}
