import { z } from "zod";
import { mediaTypeOfName } from "../../shared/content/media-type.ts";
import type { Incoming, IncomingFile } from "../port/incoming.ts";
import type { ChatPlace, Person } from "../port/place.ts";
import type { WecomFrame } from "./link.ts";

const MediaWire = z.object({
  url: z.string().min(1),
  aeskey: z.string().default(""),
  filename: z.string().optional(),
});
const TextWire = z.object({ content: z.string().default("") });
const ItemWire = z.object({ msgtype: z.string(), text: TextWire.optional(), image: MediaWire.optional() });

const CallbackWire = z.object({
  msgid: z.string().min(1),
  chatid: z.string().min(1).optional(),
  chattype: z.enum(["single", "group"]).default("single"),
  from: z.object({ userid: z.string().min(1) }),
  msgtype: z.string(),
  text: TextWire.optional(),
  voice: TextWire.optional(),
  image: MediaWire.optional(),
  file: MediaWire.optional(),
  video: MediaWire.optional(),
  mixed: z.object({ msg_item: z.array(z.unknown()).default([]) }).optional(),
  event: z
    .object({
      eventtype: z.string(),
      event_key: z.string().optional(),
      task_id: z.string().optional(),
      template_card_event: z
        .object({ event_key: z.string().optional(), task_id: z.string().optional() })
        .optional(),
    })
    .optional(),
});

type Callback = z.output<typeof CallbackWire>;

/** Whether another program is connected as the bot now. */
export const isReplaced = ({ body }: WecomFrame): boolean =>
  CallbackWire.safeParse(body).data?.event?.eventtype === "disconnected_event";

/**
 * Reads what comes by the long connection: https://developer.work.weixin.qq.com/document/path/100719. In groups WeCom tells
 * the bot what mentions it. Nothing of what cannot be read.
 */
export function readCallback({ cmd, id, body }: WecomFrame): Incoming | undefined {
  const read = CallbackWire.safeParse(body).data;
  if (read === undefined) return undefined;
  const { msgid, event } = read;
  const base = { eventId: msgid, place: placeOf(read), from: personOf(read.from.userid) };
  if (cmd === "aibot_msg_callback")
    return { type: "message", ...base, messageId: msgid, ...contentOf(read), addressed: true };
  const card = event?.template_card_event ?? event;
  if (event?.eventtype !== "template_card_event" || card?.event_key === undefined) return undefined;
  const { event_key: value, task_id: messageId = "" } = card;
  return { type: "click", ...base, messageId, value, answerId: JSON.stringify([id, messageId]) };
}

const placeOf = ({ chatid, chattype, from }: Callback): ChatPlace =>
  chattype === "group" && chatid !== undefined
    ? { kind: "channel", chatId: chatid }
    : { kind: "direct", chatId: from.userid };

/** WeCom does not tell names. */
const personOf = (id: string): Person => ({ id, name: id });

function contentOf(read: Callback): { readonly text: string; readonly files: readonly IncomingFile[] } {
  const { text, voice, image, file, video, mixed, chattype } = read;
  const items = (mixed?.msg_item ?? []).flatMap((item) => ItemWire.safeParse(item).data ?? []);
  const pictures = [image, ...items.map((item) => item.image)].flatMap((media) =>
    media === undefined ? [] : [fileOf(media, "photo.png")],
  );
  const others = [file, video].flatMap((media) =>
    media === undefined ? [] : [fileOf(media, media.filename ?? read.msgtype)],
  );
  const words = items.flatMap((item) => item.text?.content ?? []).join("\n");
  const said = (text?.content ?? voice?.content ?? words).trim();
  // The mention of the bot is the first word there.
  const shown = chattype === "group" ? said.replace(/^@\S+\s*/, "") : said;
  return { text: shown, files: [...pictures, ...others] };
}

/** WeCom does not say what a picture is; pictures are read by their bytes. */
function fileOf({ url, aeskey }: z.output<typeof MediaWire>, name: string): IncomingFile {
  return { name, mediaType: mediaTypeOfName(name), ref: JSON.stringify([url, aeskey]) };
}
