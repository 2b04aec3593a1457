import { defined } from "../../shared/json/defined.ts";
import type { Incoming, IncomingFile } from "../port/incoming.ts";
import type { ChatPlace } from "../port/place.ts";
import { type KnownEvents, relationOf } from "./known-events.ts";
import type { MatrixRooms } from "./rooms.ts";
import { afterName, type MatrixBot, namesBot, withoutFallback } from "./text.ts";
import type { MatrixEvent } from "./wire.ts";

/** The parts with which events are read. */
export interface EventReaderParts {
  readonly bot: MatrixBot;
  readonly rooms: MatrixRooms;
  readonly known: KnownEvents;
  readonly signal: AbortSignal;
}

/** Reads an event of a room; nothing of what is not for us. @throws HostError when the server cannot be asked now */
export async function readEvent(
  roomId: string,
  event: MatrixEvent,
  parts: EventReaderParts,
): Promise<readonly Incoming[]> {
  const { known, bot } = parts;
  const { type, sender, event_id: id, content } = event;
  known.note(id, { sender, ...relationOf(content["m.relates_to"]) });
  if (sender === bot.id) return [];
  switch (type) {
    case "m.room.message":
      return content["m.relates_to"]?.rel_type === "m.replace"
        ? await changeOf(roomId, event, parts)
        : await messageOf(roomId, event, parts);
    case "m.reaction":
      return await reactionOf(roomId, event, parts);
    case "m.room.redaction":
      return await redactionOf(roomId, event, parts);
    default:
      return [];
  }
}

/** Texts of people, and what comes with them. What bots say is `m.notice`. */
const SAID: ReadonlySet<string | undefined> = new Set(["m.text", "m.emote"]);
const FILES: ReadonlySet<string | undefined> = new Set(["m.image", "m.file", "m.audio", "m.video"]);

async function messageOf(
  roomId: string,
  event: MatrixEvent,
  parts: EventReaderParts,
): Promise<readonly Incoming[]> {
  const { content, event_id: id } = event;
  const file = FILES.has(content.msgtype) ? fileOf(event) : undefined;
  if (!SAID.has(content.msgtype) && file === undefined) return [];
  const threadId = relationOf(content["m.relates_to"]).threadId;
  const place = await placeIn(roomId, { id, threadId }, parts);
  const addressed = place.kind === "direct" || (await isForBot(roomId, event, parts));
  const text = file === undefined ? wordsOf(event, parts.bot) : captionOf(event);
  const base = { ...(await happened(roomId, event, parts)), place };
  return [{ type: "message", ...base, messageId: id, text, files: file ? [file] : [], addressed }];
}

/** A mention; an answer to the bot; what is said in a thread below what the bot said. */
async function isForBot(
  roomId: string,
  { content }: MatrixEvent,
  { bot, known, signal }: EventReaderParts,
): Promise<boolean> {
  const { "m.mentions": mentions, "m.relates_to": relation } = content;
  const body = withoutFallback(content.body);
  if (mentions?.user_ids.includes(bot.id) === true || afterName(body, bot, false) !== undefined) return true;
  if (mentions === undefined && namesBot(body, bot)) return true;
  const { "m.in_reply_to": answered, is_falling_back: isForOthers = false } = relation ?? {};
  const about = [isForOthers ? undefined : answered?.event_id, relationOf(relation).threadId];
  for (const id of about)
    if (id !== undefined && (await known.get(roomId, id, signal))?.sender === bot.id) return true;
  return false;
}

/** Changes of a message stand in the place of the message. */
async function changeOf(
  roomId: string,
  event: MatrixEvent,
  parts: EventReaderParts,
): Promise<readonly Incoming[]> {
  const { content, sender } = event;
  const messageId = content["m.relates_to"]?.event_id;
  const changed = content["m.new_content"];
  if (messageId === undefined || changed === undefined) return [];
  const meant = await parts.known.get(roomId, messageId, parts.signal);
  if (meant?.sender !== sender) return [];
  const place = await placeIn(roomId, { id: messageId, ...meant }, parts);
  const text = wordsOf({ ...event, content: { ...content, body: changed.body } }, parts.bot);
  return [{ type: "edit", ...(await happened(roomId, event, parts)), place, messageId, text }];
}

async function reactionOf(
  roomId: string,
  event: MatrixEvent,
  parts: EventReaderParts,
): Promise<readonly Incoming[]> {
  const { event_id: messageId, key = "" } = event.content["m.relates_to"] ?? {};
  const verdict = verdictOf(key);
  if (messageId === undefined || verdict === undefined) return [];
  const place = placeOf(roomId, await parts.rooms.kindOf(roomId, parts.signal), undefined);
  return [{ type: "reaction", ...(await happened(roomId, event, parts)), place, messageId, verdict }];
}

const verdictOf = (key: string): "up" | "down" | undefined =>
  key.startsWith("👍") ? "up" : key.startsWith("👎") ? "down" : undefined;

/** A message, or a sign, that was taken back. */
async function redactionOf(
  roomId: string,
  event: MatrixEvent,
  parts: EventReaderParts,
): Promise<readonly Incoming[]> {
  const messageId = event.redacts ?? event.content.redacts;
  if (messageId === undefined) return [];
  const meant = await parts.known.get(roomId, messageId, parts.signal);
  if (meant === undefined || meant.sender === parts.bot.id) return [];
  const base = await happened(roomId, { ...event, sender: meant.sender }, parts);
  const place = await placeIn(roomId, { id: messageId, ...meant }, parts);
  return meant.reactionTo === undefined
    ? [{ type: "deletion", ...base, place, messageId }]
    : [{ type: "reaction", ...base, place, messageId: meant.reactionTo, verdict: "none" }];
}

async function happened(roomId: string, { event_id: eventId, sender }: MatrixEvent, parts: EventReaderParts) {
  return { eventId, from: { id: sender, name: await parts.rooms.nameOf(roomId, sender, parts.signal) } };
}

/** In a channel what is said begins a thread, unless it is in one; a direct message only when it is in one. */
async function placeIn(
  roomId: string,
  { id, threadId }: { readonly id: string; readonly threadId?: string | undefined },
  { rooms, signal }: EventReaderParts,
): Promise<ChatPlace> {
  const kind = await rooms.kindOf(roomId, signal);
  return placeOf(roomId, kind, threadId ?? (kind === "channel" ? id : undefined));
}

const placeOf = (chatId: string, kind: ChatPlace["kind"], threadId: string | undefined): ChatPlace => ({
  kind,
  chatId,
  ...defined({ threadId }),
});

function wordsOf({ content }: MatrixEvent, bot: MatrixBot): string {
  const body = withoutFallback(content.body);
  const isMeant = content["m.mentions"]?.user_ids.includes(bot.id) === true;
  return (afterName(body, bot, isMeant) ?? body).trim();
}

/** The words beside a file: https://spec.matrix.org/latest/client-server-api/#media-captions */
const captionOf = ({ content: { body, filename } }: MatrixEvent): string =>
  filename !== undefined && filename !== body ? body.trim() : "";

function fileOf({ content: { body, filename, url, info } }: MatrixEvent): IncomingFile | undefined {
  if (url === undefined) return undefined;
  const name = filename ?? body;
  const mediaType = info?.mimetype?.split(";")[0]?.trim() || "application/octet-stream";
  return { name: name || "file", mediaType, ref: url, ...defined({ size: info?.size }) };
}
