import type { Incoming, IncomingFile } from "../port/incoming.ts";
import type { Sink } from "../port/channel.ts";
import type { ChatPlace } from "../port/place.ts";
import type { TelegramApi } from "./api.ts";
import type { MovedGroups } from "./moved-groups.ts";
import { type Bot, isAddressed, isForAnother, wordsFor } from "./text.ts";
import { hasUnreadable, type Update, UpdateWire, type UpdateMessage, type TelegramUser } from "./update.ts";

/** The updates that are asked for. */
export const WANTED_UPDATES = ["message", "edited_message", "callback_query", "message_reaction"] as const;
const POLL_S = 25;
const POLL_TIMEOUT_MS = 40_000;
const MOST = 100;

/**
 * Asks for updates again and again. The next request confirms those of the last one: it is made only when they are safe.
 */
export async function receiveUpdates(
  api: TelegramApi,
  {
    bot,
    moved,
    sink,
    signal,
  }: {
    readonly bot: Bot;
    readonly moved: MovedGroups;
    readonly sink: Sink;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  let offset: number | undefined;
  while (!signal.aborted) {
    const found = await api.call(
      "getUpdates",
      {
        timeout: POLL_S,
        limit: MOST,
        allowed_updates: WANTED_UPDATES,
        ...(offset === undefined ? {} : { offset }),
      },
      { signal, timeoutMs: POLL_TIMEOUT_MS },
    );
    sink.alive();
    const updates = Array.isArray(found) ? found.map(idOf).filter((each) => each !== undefined) : [];
    updates.sort((a, b) => a.id - b.id);
    const newest = updates.at(-1)?.id;
    if (newest === undefined) continue;
    await sink.take(
      await receivedEvents(
        updates.map(({ update }) => update),
        { bot, moved },
      ),
    );
    offset = newest + 1;
  }
}

/** An update's id, also of one that cannot be read otherwise: it is confirmed like all others. */
function idOf(update: unknown): { readonly id: number; readonly update: unknown } | undefined {
  const id =
    typeof update === "object" && update !== null && "update_id" in update ? update.update_id : undefined;
  return typeof id === "number" && Number.isSafeInteger(id) ? { id, update } : undefined;
}

/** Reads updates; of a group that has moved where the host knows it. What they say of such groups is noted first. */
export async function receivedEvents(
  updates: readonly unknown[],
  { bot, moved }: { readonly bot: Bot; readonly moved: MovedGroups },
): Promise<readonly Incoming[]> {
  await moved.learn(updates);
  return updates.flatMap((update) => readUpdate(update, bot)).map(moved.known);
}

/** Reads an update; nothing of what is not for us, or cannot be read. */
export function readUpdate(given: unknown, bot: Bot): readonly Incoming[] {
  const parsed = UpdateWire.safeParse(given);
  if (!parsed.success) return [];
  const update = parsed.data;
  const eventId = String(update.update_id);
  return eventOf(update, bot, eventId) ?? [];
}

function eventOf(update: Update, bot: Bot, eventId: string): readonly Incoming[] | undefined {
  const { message, edited_message: edited, callback_query: click, message_reaction: reaction } = update;
  if (message !== undefined) return messageOf(message, bot, eventId);
  if (edited !== undefined) {
    if (edited.from === undefined) return undefined;
    const base = { eventId, place: placeIn(edited), from: personOf(edited.from) };
    const messageId = String(edited.message_id);
    return isForAnother(edited, bot)
      ? [{ type: "deletion", ...base, messageId }]
      : [{ type: "edit", ...base, messageId, text: wordsFor(edited, bot) }];
  }
  if (click?.message !== undefined) {
    const base = { eventId, place: placeIn(click.message), from: personOf(click.from) };
    const { data: value = "", id: answerId } = click;
    return [{ type: "click", ...base, messageId: String(click.message.message_id), value, answerId }];
  }
  if (reaction?.user === undefined) return undefined;
  const { chat, message_id: id, new_reaction: given } = reaction;
  const thumbs = given.map(({ emoji }) => (emoji === "👍" ? "up" : emoji === "👎" ? "down" : undefined));
  const verdict = thumbs.find((thumb) => thumb !== undefined) ?? "none";
  // It says no topic: the message's id is enough to find it.
  const place = placeIn({ chat });
  return [
    { type: "reaction", eventId, place, from: personOf(reaction.user), messageId: String(id), verdict },
  ];
}

function messageOf(message: UpdateMessage, bot: Bot, eventId: string): readonly Incoming[] | undefined {
  const { from, chat, message_id: id } = message;
  if (from === undefined || from.is_bot || chat.type === "channel") return undefined;
  const isDirect = chat.type === "private";
  const base = { eventId, place: placeIn(message), from: personOf(from), messageId: String(id) };
  if (isForAnother(message, bot)) {
    // Without words it is answered with words: nobody else hears it in a direct chat.
    return isDirect ? [{ type: "message", ...base, text: "", files: [], addressed: true }] : undefined;
  }
  const text = wordsFor(message, bot);
  const files = filesOf(message);
  const addressed = isDirect || isAddressed(message, bot);
  // Somebody came, a title changed: nothing was said. What cannot be read is answered with words, where it is for the bot.
  if (text === "" && files.length === 0 && !(addressed && hasUnreadable(message))) return undefined;
  return [{ type: "message", ...base, text, files, addressed }];
}

function placeIn({
  chat,
  is_topic_message: isTopic,
  message_thread_id: thread,
}: Pick<UpdateMessage, "chat"> & Partial<UpdateMessage>): ChatPlace {
  const kind = chat.type === "private" ? "direct" : "channel";
  const chatId = String(chat.id);
  return isTopic === true && thread !== undefined
    ? { kind, chatId, threadId: String(thread) }
    : { kind, chatId };
}

const personOf = ({ id, first_name: first, last_name: last = "", username }: TelegramUser) => ({
  id: String(id),
  name: `${first} ${last}`.trim() || username || String(id),
});

function filesOf(message: UpdateMessage): readonly IncomingFile[] {
  const { photo, document, audio, voice, video, video_note: note, sticker } = message;
  // One that moves is no picture that a model takes.
  const isPicture = sticker?.is_animated !== true && sticker?.is_video !== true;
  const kinds = [
    [photo.at(-1), "photo.jpg", "image/jpeg"],
    [document, "file", UNKNOWN_TYPE],
    [audio, "audio", UNKNOWN_TYPE],
    [voice, "voice.ogg", UNKNOWN_TYPE],
    [video, "video.mp4", UNKNOWN_TYPE],
    [note, "video-note.mp4", "video/mp4"],
    [isPicture ? sticker : undefined, "sticker.webp", "image/webp"],
  ] as const;
  return kinds.flatMap(([file, name, type]) =>
    file === undefined
      ? []
      : [fileOf(file, { name: file.file_name ?? name, mediaType: file.mime_type ?? type })],
  );
}

const UNKNOWN_TYPE = "application/octet-stream";

function fileOf(
  { file_id: ref, file_size: size }: { readonly file_id: string; readonly file_size?: number | undefined },
  known: { readonly name: string; readonly mediaType: string },
): IncomingFile {
  return { ...known, ref, ...(size === undefined ? {} : { size }) };
}
