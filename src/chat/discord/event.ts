import type { Incoming, IncomingFile, IncomingMessage } from "../port/incoming.ts";
import type { ChatPlace, Person } from "../port/place.ts";
import { defined } from "../../shared/json/defined.ts";
import { type DiscordMessage, type DiscordUser, InteractionWire } from "./wire.ts";

/** A message that was written, and one that answers another. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);
const COMMAND = 2;
const COMPONENT = 3;

/** A person as the platform knows them. */
export const personOf = ({ id, username, global_name: shown }: DiscordUser): Person => ({
  id,
  name: shown || username || id,
});

/** The bot as messages name it: by itself, or by a role that a server has made for it. */
export interface NamedBot {
  readonly id: string;
  readonly roles: ReadonlySet<string>;
}

/** A message of a person as it came; nothing for those of bots, and for what was not written. */
export function writtenMessage(
  message: DiscordMessage,
  place: ChatPlace,
  bot: NamedBot,
): IncomingMessage | undefined {
  const { id, author, type, webhook_id: webhook, mentions, referenced_message: answered } = message;
  if (author.bot || webhook !== undefined || !WRITTEN.has(type)) return undefined;
  const text = wordsOf(message, bot);
  const files = message.attachments.map((file) => fileOf(message, file));
  const isMentioned =
    mentions.some((user) => user.id === bot.id) || message.mention_roles.some((role) => bot.roles.has(role));
  if (text === "" && files.length === 0 && !isMentioned) return undefined;
  const addressed = place.kind === "direct" || isMentioned || answered?.author.id === bot.id;
  const base = { eventId: `message-${id}`, place, from: personOf(author) };
  return { type: "message", ...base, messageId: id, text, files, addressed };
}

/** A message that its sender changed; previews of links change messages too, and are nothing to us. */
export function editOf(message: DiscordMessage, place: ChatPlace, bot: NamedBot): Incoming | undefined {
  const { id, author, edited_timestamp: editedAt } = message;
  if (author.bot || editedAt === null || editedAt === undefined) return undefined;
  const base = { eventId: `edit-${id}-${editedAt}`, place, from: personOf(author) };
  return { type: "edit", ...base, messageId: id, text: wordsOf(message, bot) };
}

/** The words of a message, without the bot's mention where they begin with it; other people by their names. */
function wordsOf({ content, mentions }: DiscordMessage, bot: NamedBot): string {
  const names = new Map(mentions.map((user) => [user.id, personOf(user).name]));
  return content
    .replace(/^\s*<@[!&]?(\d+)>/, (mention: string, id: string) =>
      id === bot.id || bot.roles.has(id) ? "" : mention,
    )
    .replaceAll(/<@!?(\d{1,20})>/g, (mention: string, id: string) =>
      names.has(id) ? `@${names.get(id) ?? ""}` : mention,
    )
    .trim();
}

/** All that is needed to get a file: its address holds for a day, and its message has a new one. */
export interface FileRef {
  readonly url: string;
  readonly channelId: string;
  readonly messageId: string;
  readonly id: string;
}

function fileOf(
  { id: messageId, channel_id: channelId }: DiscordMessage,
  { id, url, filename: name, size, content_type: mediaType }: DiscordMessage["attachments"][number],
): IncomingFile {
  const ref: FileRef = { url, channelId, messageId, id };
  return {
    name,
    mediaType: mediaType?.split(";")[0] ?? "application/octet-stream",
    ref: JSON.stringify(ref),
    ...defined({ size }),
  };
}

/** An interaction, as it is acted upon and as it is answered. */
export interface ReadInteraction {
  readonly event: Incoming;
  readonly id: string;
  readonly token: string;
  /** The words that the one who gave a command is told. */
  readonly words?: string;
}

/** Reads a button that was pressed, or a command of the platform's menu. */
export function interactionOf(
  given: unknown,
  placeOf: (channel: unknown, id: string, isDirect: boolean) => ChatPlace,
): ReadInteraction | undefined {
  const { data: interaction } = InteractionWire.safeParse(given);
  const user = interaction?.member?.user ?? interaction?.user;
  if (interaction === undefined || user === undefined) return undefined;
  const { id, token, type, channel, guild_id: guild, message, data } = interaction;
  const place = placeOf(channel, channel.id, guild === undefined);
  const base = { eventId: `interaction-${id}`, place, from: personOf(user) };
  if (type === COMPONENT && message !== undefined && data?.custom_id !== undefined) {
    const click = { messageId: message.id, value: data.custom_id, answerId: token };
    return { event: { type: "click", ...base, ...click }, id, token };
  }
  if (type !== COMMAND || data?.name === undefined) return undefined;
  const text = [`/${data.name}`, ...data.options.map(({ value }) => String(value ?? ""))].join(" ").trim();
  const event = { type: "message", ...base, messageId: id, text, files: [], addressed: true } as const;
  return { event, id, token, words: `\`${text.replaceAll("`", "'")}\`` };
}
