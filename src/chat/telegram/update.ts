import { z } from "zod";

/** A user, of https://core.telegram.org/bots/api#user */
const UserWire = z.object({
  id: z.int(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(""),
  last_name: z.string().optional(),
  username: z.string().optional(),
});

const ChatWire = z.object({ id: z.int(), type: z.enum(["private", "group", "supergroup", "channel"]) });

const EntityWire = z.object({
  type: z.string(),
  offset: z.int(),
  length: z.int(),
  user: UserWire.optional(),
});
/** A list of which a stranger may send any number: what is said counts, not how often. */
const entities = z
  .array(z.unknown())
  .default([])
  .transform((list) => list.slice(0, 100).flatMap((each) => EntityWire.safeParse(each).data ?? []));

const FileWire = z.object({
  file_id: z.string(),
  file_size: z.int().optional(),
  file_name: z.string().optional(),
  mime_type: z.string().optional(),
});

const LocationWire = z.object({ latitude: z.number(), longitude: z.number() });

/** What people send that has no words, and no file that could be read. */
const UnreadableWire = z.object({
  poll: z.unknown(),
  dice: z.unknown(),
  game: z.unknown(),
  story: z.unknown(),
  checklist: z.unknown(),
  paid_media: z.unknown(),
});

const MessageWire = UnreadableWire.partial().extend({
  message_id: z.int(),
  message_thread_id: z.int().optional(),
  is_topic_message: z.boolean().optional(),
  from: UserWire.optional(),
  chat: ChatWire,
  text: z.string().optional(),
  caption: z.string().optional(),
  entities,
  caption_entities: entities,
  photo: z.array(FileWire).default([]),
  document: FileWire.optional(),
  audio: FileWire.optional(),
  voice: FileWire.optional(),
  video: FileWire.optional(),
  video_note: FileWire.optional(),
  sticker: FileWire.extend({
    is_animated: z.boolean().optional(),
    is_video: z.boolean().optional(),
  }).optional(),
  location: LocationWire.optional(),
  venue: z.object({ location: LocationWire, title: z.string(), address: z.string() }).optional(),
  contact: z
    .object({ phone_number: z.string(), first_name: z.string(), last_name: z.string().optional() })
    .optional(),
  migrate_to_chat_id: z.int().optional(),
  migrate_from_chat_id: z.int().optional(),
  reply_to_message: z.object({ from: UserWire.optional() }).optional(),
});

/** An update, as far as it is read: https://core.telegram.org/bots/api#update */
export const UpdateWire = z.object({
  update_id: z.int(),
  message: MessageWire.optional(),
  edited_message: MessageWire.optional(),
  callback_query: z
    .object({ id: z.string(), from: UserWire, message: MessageWire.optional(), data: z.string().optional() })
    .optional(),
  message_reaction: z
    .object({
      chat: ChatWire,
      message_id: z.int(),
      user: UserWire.optional(),
      new_reaction: z.array(z.object({ type: z.string(), emoji: z.string().optional() })),
    })
    .optional(),
});

/** An update as it was read. */
export type Update = z.output<typeof UpdateWire>;
/** A message of an update. */
export type UpdateMessage = z.output<typeof MessageWire>;
/** Whether a message has something that cannot be read. */
export const hasUnreadable = (message: UpdateMessage): boolean =>
  message.sticker !== undefined || Object.keys(UnreadableWire.shape).some((kind) => kind in message);

/** A user of an update. */
export type TelegramUser = z.output<typeof UserWire>;
