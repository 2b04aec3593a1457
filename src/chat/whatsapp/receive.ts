import type { UndeliveredMessage } from "../port/channel.ts";
import type { Incoming, IncomingFile, IncomingMessage } from "../port/incoming.ts";
import { graphWords } from "./api.ts";
import {
  NoticeWire,
  type WhatsappContent,
  type WhatsappMessage,
  type WhatsappProfile,
  type WhatsappStatus,
} from "./event.ts";

/** The contents of a request. */
export interface WhatsappNotice {
  readonly events: readonly Incoming[];
  readonly undelivered: readonly UndeliveredMessage[];
}

/** Reads a request; nothing of what is not for us, or cannot be read. @param from - the id of our phone number */
export function readNotice(given: unknown, from: string): WhatsappNotice {
  const changes = (NoticeWire.safeParse(given).data?.entry ?? [])
    .flatMap((entry) => entry.changes)
    // An app may have several numbers.
    .filter(({ value }) => value.metadata.phone_number_id === from);
  return {
    events: changes.flatMap(({ value }) =>
      value.messages.flatMap((message) => eventOf(message, value.contacts) ?? []),
    ),
    undelivered: changes.flatMap(({ value }) => value.statuses.flatMap((each) => failureOf(each) ?? [])),
  };
}

function failureOf(status: WhatsappStatus): UndeliveredMessage | undefined {
  if (status.status !== "failed") return undefined;
  const chatId = status.recipient_id ?? status.recipient_user_id ?? "";
  const [first] = status.errors;
  return { messageId: status.id, chatId, reason: graphWords(first) ?? "WhatsApp does not say why" };
}

function eventOf(message: WhatsappMessage, profiles: readonly WhatsappProfile[]): Incoming | undefined {
  const { id: eventId, from, from_user_id: userId, group_id: group, reaction, edit, revoke } = message;
  const chatId = from ?? userId;
  // What is said in a group is no direct message, and a number that changed is no message.
  if (chatId === undefined || chatId === "" || group !== undefined || message.type === "system")
    return undefined;
  const profile = profiles.find((each) =>
    from === undefined ? each.user_id === userId : each.wa_id === from,
  );
  const base = {
    eventId,
    place: { kind: "direct", chatId } as const,
    from: { id: chatId, name: profile?.profile?.name || chatId },
  };
  if (reaction !== undefined)
    return { type: "reaction", ...base, messageId: reaction.message_id, verdict: verdictOf(reaction.emoji) };
  if (revoke !== undefined) return { type: "deletion", ...base, messageId: revoke.original_message_id };
  if (edit !== undefined) {
    const text = edit.message === undefined ? "" : wordsOf(edit.message);
    return text === "" ? undefined : { type: "edit", ...base, messageId: edit.original_message_id, text };
  }
  const reply = message.interactive?.button_reply ?? message.interactive?.list_reply;
  if (reply !== undefined) {
    const answerId = JSON.stringify([chatId, eventId]);
    const messageId = message.context?.id ?? "";
    return { type: "click", ...base, messageId, value: reply.id, answerId };
  }
  return messageOf(message, base);
}

/** A message; of a kind that the API does not tell, one without words, which is answered with words. */
const messageOf = (
  message: WhatsappMessage,
  base: Pick<IncomingMessage, "eventId" | "place" | "from">,
): IncomingMessage => ({
  type: "message",
  ...base,
  messageId: message.id,
  text: wordsOf(message),
  files: filesOf(message),
  addressed: true,
});

/** Thumbs have five more colours. */
const verdictOf = (emoji: string): "up" | "down" | "none" =>
  emoji.startsWith("👍") ? "up" : emoji.startsWith("👎") ? "down" : "none";

function wordsOf({ text, image, video, document, button, location, contacts }: WhatsappContent): string {
  const said = text?.body ?? button?.text ?? image?.caption ?? video?.caption ?? document?.caption;
  if (said !== undefined) return said.trim();
  if (location !== undefined) {
    const { latitude, longitude, name = "", address = "" } = location;
    const where = [name, address].filter((each) => each !== "").join(", ");
    return `Location: ${latitude}, ${longitude}${where === "" ? "" : ` (${where})`}`;
  }
  return contacts
    .map(({ name, phones }) =>
      `Contact: ${name?.formatted_name ?? ""} ${phones.map(({ phone }) => phone).join(", ")}`.trim(),
    )
    .join("\n");
}

function filesOf({ image, video, audio, document, sticker }: WhatsappContent): readonly IncomingFile[] {
  const kinds = [
    [image, "photo"],
    [video, "video"],
    [audio, "audio"],
    [document, "file"],
    [sticker, "sticker.webp"],
  ] as const;
  return kinds.flatMap(([media, name]) =>
    media === undefined
      ? []
      : [{ name: media.filename ?? name, mediaType: media.mime_type.split(";")[0] ?? "", ref: media.id }],
  );
}
