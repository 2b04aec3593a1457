import type { UpdateMessage } from "./update.ts";

/** The bot as the platform knows it. */
export interface Bot {
  readonly id: number;
  readonly username: string;
}

/** A command with the name of the bot that it is for. */
const NAMED_COMMAND = /^(\/[^\s@]+)@(\w+)/;

const rawText = (message: UpdateMessage): string => message.text ?? message.caption ?? sharedText(message);

/** A place or a contact in words. */
function sharedText({ venue, location = venue?.location, contact }: UpdateMessage): string {
  if (location !== undefined) {
    const { latitude, longitude } = location;
    const where = [venue?.title, venue?.address].filter(Boolean).join(", ");
    return `Location: ${latitude}, ${longitude}${where === "" ? "" : ` (${where})`}`;
  }
  if (contact === undefined) return "";
  const { first_name: first, last_name: last = "", phone_number: phone } = contact;
  return `Contact: ${`${first} ${last}`.trim()} ${phone}`;
}

/** The words of a message, without the bot's own name where they begin with it, or where their command names it. */
export function wordsFor(message: UpdateMessage, { username }: Bot): string {
  const text = rawText(message);
  const head = `@${username}`;
  const isCalled = isSame(text.slice(0, head.length), head) && !/^\w/.test(text.slice(head.length));
  const words = (isCalled ? text.slice(head.length) : text).trim();
  const [named = "", command = "", name = ""] = NAMED_COMMAND.exec(words) ?? [];
  return isSame(name, username) ? command + words.slice(named.length) : words;
}

/** Whether a message is meant for the bot, wherever it is said: it mentions it, or answers it. */
export function isAddressed(message: UpdateMessage, { id, username }: Bot): boolean {
  if (message.reply_to_message?.from?.id === id) return true;
  const text = rawText(message);
  const name = `@${username}`.toLowerCase();
  return [...message.entities, ...message.caption_entities].some(({ type, offset, length, user }) => {
    if (type === "text_mention") return user?.id === id;
    const words = text.slice(offset, offset + length).toLowerCase();
    return (type === "mention" && words === name) || (type === "bot_command" && words.endsWith(name));
  });
}

/** Whether a message is a command for another bot, and nothing of it is meant for this one. */
export function isForAnother(message: UpdateMessage, bot: Bot): boolean {
  const name = NAMED_COMMAND.exec(rawText(message).trim())?.[2];
  return name !== undefined && !isSame(name, bot.username) && !isAddressed(message, bot);
}

/** Names of bots have no case. */
const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
