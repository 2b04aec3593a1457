import { defined } from "../../shared/json/defined.ts";
import type { Incoming, IncomingMessage } from "../port/incoming.ts";
import type { ChatPlace, Person } from "../port/place.ts";
import { contentOf } from "./content.ts";
import {
  ClickWire,
  FeishuEventWire,
  type FeishuMessage,
  FeishuReactionWire,
  RecalledWire,
  ReceivedWire,
} from "./event.ts";

/** A message that was taken back, as Feishu says it: not by whom. */
interface Recalled {
  readonly type: "recalled";
  readonly eventId: string;
  readonly messageId: string;
}

/** An event as Feishu tells it. The place of a reaction is not known: its `chatId` is empty. */
export type FeishuNews = Incoming | Recalled;

/** Reads an event; nothing of what is not for us, or cannot be read. @param botId - the bot's open id */
export function readFeishuEvent(given: unknown, botId: string): FeishuNews | undefined {
  const { header, event } = FeishuEventWire.safeParse(given).data ?? {};
  if (header === undefined) return undefined;
  const { event_id: eventId, event_type: type } = header;
  switch (type) {
    case "im.message.receive_v1":
      return messageOf(event, botId);
    case "im.message.recalled_v1": {
      const recalled = RecalledWire.safeParse(event).data;
      return recalled && { type: "recalled", eventId, messageId: recalled.message_id };
    }
    case "im.message.reaction.created_v1":
    case "im.message.reaction.deleted_v1":
      return reactionOf(event, eventId, type === "im.message.reaction.created_v1");
    case "card.action.trigger":
      return clickOf(event, eventId);
    default:
      return undefined;
  }
}

function messageOf(event: unknown, botId: string): IncomingMessage | undefined {
  const { sender, message } = ReceivedWire.safeParse(event).data ?? {};
  // Other bots are not answered.
  if (sender === undefined || message === undefined || sender.sender_type !== "user") return undefined;
  const { message_id: messageId, mentions } = message;
  const place = placeOf(message);
  return {
    type: "message",
    // Sent again it is another event now and then; the message is the same.
    eventId: `message:${messageId}`,
    place,
    from: personOf(sender.sender_id.open_id),
    messageId,
    ...contentOf(message, botId),
    addressed: place.kind === "direct" || mentions.some(({ id }) => id?.open_id === botId),
  };
}

/** In a group what is said begins a thread, or belongs to that of its first message. */
function placeOf({ chat_id: chatId, chat_type: type, ...message }: FeishuMessage): ChatPlace {
  const { thread_id: thread, root_id: root, message_id: messageId } = message;
  if (type !== "p2p") return { kind: "channel", chatId, threadId: root ?? messageId };
  return { kind: "direct", chatId, ...defined({ threadId: thread === undefined ? undefined : root }) };
}

/** https://open.feishu.cn/document/server-docs/im-v1/message-reaction/emojis-introduce */
const THUMBS: Readonly<Record<string, "up" | "down">> = { THUMBSUP: "up", ThumbsDown: "down" };

function reactionOf(event: unknown, eventId: string, isNew: boolean): Incoming | undefined {
  const reaction = FeishuReactionWire.safeParse(event).data;
  const verdict = THUMBS[reaction?.reaction_type.emoji_type ?? ""];
  if (reaction === undefined || verdict === undefined) return undefined;
  return {
    type: "reaction",
    eventId,
    place: { kind: "channel", chatId: "" },
    from: personOf(reaction.user_id.open_id),
    messageId: reaction.message_id,
    verdict: isNew ? verdict : "none",
  };
}

function clickOf(event: unknown, eventId: string): Incoming | undefined {
  const click = ClickWire.safeParse(event).data;
  if (click === undefined) return undefined;
  const { open_message_id: messageId, open_chat_id: chatId } = click.context;
  const { answer: value, kind, thread: threadId } = click.action.value;
  const place = { kind, chatId, ...defined({ threadId }) };
  const from = personOf(click.operator.open_id);
  return { type: "click", eventId, place, from, messageId, value, answerId: eventId };
}

/** Events do not tell names. */
const personOf = (id: string): Person => ({ id, name: id });
