import { defined } from "../../shared/json/defined.ts";
import type { Incoming, IncomingFile } from "../port/incoming.ts";
import type { ChatPlace } from "../port/place.ts";
import {
  ActionsWire,
  CallbackWire,
  CommandWire,
  type MessageEvent,
  type ReactionEvent,
  type SlackFile,
} from "./event.ts";
import { type SlackBot, mentions, readableText } from "./text.ts";

/** The kinds of what Slack sends, as its envelopes name them. */
export type PayloadKind = "events_api" | "interactive" | "slash_commands";

/** A payload as Slack sent it, and its kind. */
export interface SlackPayload {
  readonly kind: PayloadKind;
  readonly payload: unknown;
}

/** Reads what Slack sent; nothing of what is not for us, or cannot be read. Names of people are their ids. */
export function readPayload({ kind, payload }: SlackPayload, bot: SlackBot): readonly Incoming[] {
  if (kind === "interactive") return readClick(payload);
  return kind === "slash_commands" ? readCommand(payload) : readEvent(payload, bot);
}

function readEvent(payload: unknown, bot: SlackBot): readonly Incoming[] {
  const parsed = CallbackWire.safeParse(payload);
  if (!parsed.success) return [];
  const { event, event_id: eventId } = parsed.data;
  if ("reaction" in event) return reactionOf(event, eventId, bot);
  switch (event.subtype) {
    case "message_changed":
      return changeOf(event, eventId, bot);
    case "message_deleted":
      return deletionOf(event, eventId, bot);
    case undefined:
    case "file_share":
    case "thread_broadcast":
    case "me_message":
      return messageOf(event, bot);
    default:
      // Somebody came, a topic changed: nothing was said.
      return [];
  }
}

function messageOf(event: MessageEvent, bot: SlackBot): readonly Incoming[] {
  const { channel, user, bot_id: byBot, ts, text: written, files, parent_user_id: parent } = event;
  if (user === undefined || user === bot.id || byBot !== undefined) return [];
  const text = readableText(written, bot);
  if (text === "" && files.length === 0 && !mentions(written, bot.id)) return [];
  const place = placeOf(event, event.thread_ts, ts);
  const addressed =
    place.kind === "direct" || event.type === "app_mention" || parent === bot.id || mentions(written, bot.id);
  // A mention comes twice, as a message and as a mention, under two ids of events: its own id is one.
  const base = { eventId: `${channel}:${ts}`, place, from: { id: user, name: user } };
  return [{ type: "message", ...base, messageId: ts, text, files: files.map(fileOf), addressed }];
}

function changeOf(event: MessageEvent, eventId: string, bot: SlackBot): readonly Incoming[] {
  const { message, previous_message: before } = event;
  const { ts, user, text = "", thread_ts: thread } = message ?? {};
  // A message with answers that is taken back stays as a stone.
  if (message?.subtype === "tombstone") return deletionOf({ ...event, deleted_ts: ts }, eventId, bot);
  if (ts === undefined || user === undefined || user === bot.id || message?.bot_id !== undefined) return [];
  // A preview of a link came, nothing else.
  if (text === before?.text) return [];
  const base = { eventId, place: placeOf(event, thread, ts), from: { id: user, name: user } };
  return [{ type: "edit", ...base, messageId: ts, text: readableText(text, bot) }];
}

function deletionOf(event: MessageEvent, eventId: string, bot: SlackBot): readonly Incoming[] {
  const { deleted_ts: messageId, previous_message: before } = event;
  const { user, bot_id: byBot, thread_ts: thread } = before ?? {};
  if (messageId === undefined || user === undefined || user === bot.id || byBot !== undefined) return [];
  const place = placeOf(event, thread, messageId);
  return [{ type: "deletion", eventId, place, from: { id: user, name: user }, messageId }];
}

function reactionOf(event: ReactionEvent, eventId: string, bot: SlackBot): readonly Incoming[] {
  const { type, user, reaction, item } = event;
  const thumb = THUMBS[reaction.split("::")[0] ?? ""];
  if (thumb === undefined || user === bot.id) return [];
  const verdict = type === "reaction_added" ? thumb : "none";
  // It says no thread: the message's id is enough to find it.
  const place = placeOf({ channel: item.channel }, undefined, undefined);
  return [{ type: "reaction", eventId, place, from: { id: user, name: user }, messageId: item.ts, verdict }];
}

const THUMBS: Readonly<Record<string, "up" | "down">> = {
  "+1": "up",
  thumbsup: "up",
  "-1": "down",
  thumbsdown: "down",
};

function readClick(payload: unknown): readonly Incoming[] {
  const parsed = ActionsWire.safeParse(payload);
  const action = parsed.data?.actions[0];
  if (!parsed.success || action === undefined) return [];
  const { user, container, message } = parsed.data;
  const { channel_id: channel, message_ts: messageId } = container;
  const threadId = container.thread_ts ?? message?.thread_ts;
  const place = placeOf({ channel }, threadId, undefined);
  const from = { id: user.id, name: user.name ?? user.username ?? user.id };
  const eventId = `${channel}:${messageId}:${user.id}:${action.action_ts}:${action.action_id}`;
  const answerId = JSON.stringify({ channel, user: user.id, ...defined({ thread_ts: threadId }) });
  return [{ type: "click", eventId, place, from, messageId, value: action.value, answerId }];
}

/** `/agent status` is the host's `/status`; a command of any other name is what it says. */
function readCommand(payload: unknown): readonly Incoming[] {
  const parsed = CommandWire.safeParse(payload);
  if (!parsed.success) return [];
  const {
    command,
    text,
    channel_id: channel,
    user_id: id,
    user_name: name = id,
    trigger_id: eventId,
  } = parsed.data;
  const line = command === "/agent" ? `/${text.trim() || "help"}` : `${command} ${text}`.trim();
  const place = placeOf({ channel }, undefined, undefined);
  const base = { eventId, place, from: { id, name } };
  return [{ type: "message", ...base, messageId: eventId, text: line, files: [], addressed: true }];
}

/** In a channel what is said begins a thread, unless it is in one: a direct message only when it is in one. */
function placeOf(
  { channel, channel_type: type }: Pick<MessageEvent, "channel" | "channel_type">,
  thread: string | undefined,
  ts: string | undefined,
): ChatPlace {
  const kind = type === "im" || channel.startsWith("D") ? "direct" : "channel";
  const threadId = thread ?? (kind === "channel" ? ts : undefined);
  return { kind, chatId: channel, ...defined({ threadId }) };
}

function fileOf({ id, name, mimetype, size, ...urls }: SlackFile): IncomingFile {
  const url = urls.url_private_download ?? urls.url_private;
  return {
    name: name ?? "file",
    mediaType: mimetype ?? "application/octet-stream",
    ref: JSON.stringify({ id, ...(url == null ? {} : { url }) }),
    ...(size == null ? {} : { size }),
  };
}
