import { defined } from "../../shared/json/defined.ts";
import type { Incoming, IncomingFile } from "../port/incoming.ts";
import type { ChatPlace, Person } from "../port/place.ts";
import { EnvelopeWire, type SignalData, type SignalEnvelope } from "./envelope.ts";
import type { Revisions } from "./revisions.ts";

/** The bot's own number, and the versions of messages. */
export interface EnvelopeReaderParts {
  readonly number: string;
  readonly revisions: Revisions;
}

/** Reads what the service handed over; nothing of what is not for us, or cannot be read. */
export function readEnvelope(given: unknown, parts: EnvelopeReaderParts): readonly Incoming[] {
  const { data } = EnvelopeWire.safeParse(given);
  if (data === undefined) return [];
  const { envelope } = data;
  const from = senderOf(envelope);
  if (from === undefined || envelope.sourceNumber === parts.number) return [];
  const { dataMessage, editMessage } = envelope;
  if (editMessage) return changeOf(editMessage, { envelope, from }, parts);
  if (!dataMessage) return [];
  if (dataMessage.reaction) return reactionOf(dataMessage, { envelope, from }, parts);
  if (dataMessage.remoteDelete) return deletionOf(dataMessage, { envelope, from }, parts);
  return messageOf(dataMessage, { envelope, from }, parts);
}

interface Sent {
  readonly envelope: SignalEnvelope;
  readonly from: Person;
}

/** The account's own id stays when its number changes. */
function senderOf({ sourceUuid, sourceNumber, sourceName }: SignalEnvelope): Person | undefined {
  const id = sourceUuid || sourceNumber;
  return id ? { id, name: sourceName || sourceNumber || id } : undefined;
}

/** A message is known by its sender and its time. */
export const messageIdOf = (author: string, timestamp: number): string => `${timestamp}:${author}`;

function messageOf(data: SignalData, sent: Sent, { number }: EnvelopeReaderParts): readonly Incoming[] {
  const { timestamp, attachments, mentions, quote } = data;
  const { from } = sent;
  const text = wordsOf(data, number);
  const isMentioned = mentions.some((mention) => mention.number === number);
  if (text === "" && attachments.length === 0 && !isMentioned) return [];
  const place = placeOf(data, sent);
  const addressed = place.kind === "direct" || isMentioned || quote?.authorNumber === number;
  const base = { eventId: `message:${messageIdOf(from.id, timestamp)}`, place, from };
  const messageId = messageIdOf(from.id, timestamp);
  return [{ type: "message", ...base, messageId, text, files: attachments.map(fileOf), addressed }];
}

function changeOf(
  { targetSentTimestamp: target, dataMessage: data }: NonNullable<SignalEnvelope["editMessage"]>,
  sent: Sent,
  { number, revisions }: EnvelopeReaderParts,
): readonly Incoming[] {
  const { from } = sent;
  const after = messageIdOf(from.id, data.timestamp);
  const messageId = revisions.firstOf(messageIdOf(from.id, target));
  revisions.note(messageId, after);
  const base = { eventId: `edit:${after}`, place: placeOf(data, sent), from };
  return [{ type: "edit", ...base, messageId, text: wordsOf(data, number) }];
}

function deletionOf(data: SignalData, sent: Sent, { revisions }: EnvelopeReaderParts): readonly Incoming[] {
  const { from } = sent;
  const messageId = revisions.firstOf(messageIdOf(from.id, data.remoteDelete?.timestamp ?? 0));
  return [
    { type: "deletion", eventId: `deletion:${messageId}`, place: placeOf(data, sent), from, messageId },
  ];
}

function reactionOf(
  data: SignalData,
  sent: Sent,
  { number, revisions }: EnvelopeReaderParts,
): readonly Incoming[] {
  const { reaction, timestamp } = data;
  const verdict = verdictOf(reaction?.emoji ?? "");
  if (!reaction || verdict === undefined || reaction.targetAuthorNumber !== number) return [];
  const { from } = sent;
  const base = { eventId: `reaction:${messageIdOf(from.id, timestamp)}`, place: placeOf(data, sent), from };
  const messageId = revisions.firstOf(String(reaction.targetSentTimestamp));
  return [{ type: "reaction", ...base, messageId, verdict: reaction.isRemove ? "none" : verdict }];
}

const verdictOf = (emoji: string): "up" | "down" | undefined =>
  emoji.startsWith("👍") ? "up" : emoji.startsWith("👎") ? "down" : undefined;

/** A group has another id for those who write to it. */
function placeOf({ groupInfo }: SignalData, { envelope, from }: Sent): ChatPlace {
  if (!groupInfo) return { kind: "direct", chatId: envelope.sourceNumber || from.id };
  return { kind: "channel", chatId: `group.${Buffer.from(groupInfo.groupId).toString("base64")}` };
}

/** The words of a message. Mentions are places in it: the bot's at the beginning goes, others become names. */
function wordsOf({ message, mentions }: SignalData, number: string): string {
  const text = message ?? "";
  let words = "";
  let at = 0;
  for (const mention of mentions.toSorted((one, other) => one.start - other.start)) {
    if (mention.start < at) continue;
    const before = text.slice(at, mention.start);
    const isOwn = mention.number === number && (words + before).trim() === "";
    words += before + (isOwn ? "" : `@${mention.name || mention.number || mention.uuid || ""}`);
    at = mention.start + mention.length;
  }
  return (words + text.slice(at)).trim();
}

const fileOf = ({ id, contentType, filename, size }: SignalData["attachments"][number]): IncomingFile => ({
  name: filename || id,
  mediaType: contentType?.split(";")[0]?.trim() || "application/octet-stream",
  ref: id,
  ...defined({ size: size ?? undefined }),
});
