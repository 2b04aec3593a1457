import { z } from "zod";
import { mediaTypeOfName } from "../../shared/content/media-type.ts";
import { parseForeignJson } from "../../shared/json/json.ts";
import type { IncomingClick, IncomingFile, IncomingMessage } from "../port/incoming.ts";

const PieceWire = z.object({
  type: z.string().optional(),
  text: z.string().optional(),
  downloadCode: z.string().optional(),
});

const MessageWire = z.object({
  msgId: z.string().min(1),
  conversationId: z.string().min(1),
  /** 1: one person and the robot; 2: a group. */
  conversationType: z.enum(["1", "2"]),
  senderId: z.string().min(1),
  senderStaffId: z.string().min(1).nullish(),
  senderNick: z.string().default(""),
  sessionWebhook: z.string().optional(),
  sessionWebhookExpiredTime: z.number().optional(),
  msgtype: z.string(),
  text: z.object({ content: z.string().default("") }).optional(),
  content: z
    .object({
      downloadCode: z.string().optional(),
      fileName: z.string().optional(),
      recognition: z.string().optional(),
      richText: z.array(z.unknown()).default([]),
    })
    .optional(),
});

/** A message, with the address at which it can be answered for a while. */
export interface DingtalkMessage {
  readonly message: IncomingMessage;
  readonly session?: { readonly url: string; readonly until: number };
}

/**
 * Reads what somebody wrote: https://open.dingtalk.com/document/orgapp/receive-message. In groups DingTalk tells the robot
 * what mentions it, without the mention. Nothing of what cannot be read.
 */
export function readRobotMessage(data: unknown): DingtalkMessage | undefined {
  const read = MessageWire.safeParse(data).data;
  if (read === undefined) return undefined;
  const { msgId, conversationId, conversationType, senderId, senderNick, ...rest } = read;
  // People of other organisations have no other id.
  const id = rest.senderStaffId ?? senderId;
  const isDirect = conversationType === "1";
  const message: IncomingMessage = {
    type: "message",
    eventId: msgId,
    messageId: msgId,
    place: isDirect ? { kind: "direct", chatId: id } : { kind: "channel", chatId: conversationId },
    from: { id, name: senderNick || id },
    ...contentOf(read),
    addressed: true,
  };
  const { sessionWebhook: url, sessionWebhookExpiredTime: until } = rest;
  const isOutsider = isDirect && rest.senderStaffId == null;
  return isOutsider && url !== undefined && until !== undefined
    ? { message, session: { url, until } }
    : { message };
}

function contentOf({
  msgtype,
  text,
  content,
}: z.output<typeof MessageWire>): Pick<IncomingMessage, "text" | "files"> {
  const { downloadCode: ref, fileName = msgtype, recognition = "", richText = [] } = content ?? {};
  const pieces = richText.flatMap((piece) => PieceWire.safeParse(piece).data ?? []);
  const pictures = pieces.flatMap((piece) =>
    piece.type === "picture" && piece.downloadCode !== undefined ? [picture(piece.downloadCode)] : [],
  );
  const said = text?.content ?? pieces.map((piece) => piece.text ?? "").join("");
  // What somebody said is written down by DingTalk.
  if (msgtype === "audio" && recognition !== "") return { text: recognition.trim(), files: [] };
  if (ref === undefined) return { text: said.trim(), files: pictures };
  const file =
    msgtype === "picture" ? picture(ref) : { name: fileName, mediaType: mediaTypeOfName(fileName), ref };
  return { text: said.trim(), files: [file] };
}

/** DingTalk does not say what a picture is; pictures are read by their bytes. */
const picture = (ref: string): IncomingFile => ({ name: "photo.png", mediaType: "image/png", ref });

const CardWire = z.object({
  outTrackId: z.string().min(1),
  userId: z.string().min(1),
  content: z.string(),
});

const PressedWire = z.object({
  cardPrivateData: z.object({ params: z.object({ answer: z.string() }) }),
});

const AnswerWire = z.object({
  value: z.string().min(1),
  kind: z.enum(["direct", "channel"]),
  chat: z.string().min(1),
});

/** Reads a button that somebody pressed: https://open.dingtalk.com/document/orgapp/event-callback-card */
export function readPressed(data: unknown, id: string): IncomingClick | undefined {
  try {
    const card = CardWire.parse(data);
    const { params } = PressedWire.parse(parseForeignJson(card.content)).cardPrivateData;
    const { value, kind, chat } = AnswerWire.parse(parseForeignJson(params.answer));
    return {
      type: "click",
      eventId: `click:${id}`,
      place: { kind, chatId: chat },
      from: { id: card.userId, name: card.userId },
      messageId: card.outTrackId,
      value,
    };
  } catch {
    // A card of somebody else's making.
    return undefined;
  }
}
