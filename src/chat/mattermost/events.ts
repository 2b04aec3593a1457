import type { Incoming, IncomingFile } from "../port/incoming.ts";
import type { Directory } from "./directory.ts";
import { filesOf, type Post } from "./post.ts";

/** The bot as the server knows it. */
export interface BotUser {
  readonly id: string;
  readonly username: string;
}

/** The parts with which posts are read. */
export interface ReadingParts {
  readonly bot: BotUser;
  readonly directory: Directory;
  readonly signal: AbortSignal;
}

/**
 * Reads what happened to a post after some time: that it was written, changed or deleted. Nothing of what the server, the
 * bot itself or other bots write.
 */
export async function eventsOf(post: Post, since: number, parts: ReadingParts): Promise<readonly Incoming[]> {
  const { bot, directory, signal } = parts;
  const { id, user_id: userId, create_at: written, edit_at: edited, delete_at: deleted } = post;
  if (userId === bot.id || post.type !== "" || isMachine(post)) return [];
  const place = await directory.placeOf(post, signal);
  const base = { place, from: { id: userId, name: directory.nameOf(userId) }, messageId: id };
  if (deleted > since) return [{ type: "deletion", ...base, eventId: `deletion:${id}` }];
  const text = wordsOf(post.message, bot);
  const events: Incoming[] = [];
  if (written > since) {
    const addressed = place.kind === "direct" || (await isForBot(post, parts));
    const files = filesOf(post).map(fileOf);
    events.push({ type: "message", ...base, eventId: `post:${id}`, text, files, addressed });
  }
  if (edited > since) events.push({ type: "edit", ...base, eventId: `edit:${id}:${edited}`, text });
  return events;
}

const isMachine = ({ props }: Post): boolean =>
  ["from_bot", "from_webhook", "from_plugin"].some((key) => props?.[key] === "true" || props?.[key] === true);

async function isForBot(
  { message, root_id: root }: Post,
  { bot, directory, signal }: ReadingParts,
): Promise<boolean> {
  if (mentionOf(bot).test(message)) return true;
  return root !== "" && (await directory.ownerOf(root, signal)) === bot.id;
}

/** Names hold letters, digits, `.`, `-`, `_`; a dot at the end belongs to the sentence. */
const mentionOf = ({ username }: BotUser): RegExp =>
  new RegExp(`(?<![\\w.-])@${username.replaceAll(/[^\w-]/g, "\\$&")}(?![\\w-]|\\.\\w)`, "i");

/** The words of a message, without the bot's own name where they begin with it. */
function wordsOf(message: string, bot: BotUser): string {
  const words = message.trim();
  const found = mentionOf(bot).exec(words);
  return (found?.index === 0 ? words.slice(found[0].length).replace(/^[\s,:]+/, "") : words).trim();
}

const fileOf = ({ id, name, mime_type: type, size }: ReturnType<typeof filesOf>[number]): IncomingFile => ({
  name,
  mediaType: type.split(";")[0]?.trim() || "application/octet-stream",
  ref: id,
  ...(size === undefined ? {} : { size }),
});
