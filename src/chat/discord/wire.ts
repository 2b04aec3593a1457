import { z } from "zod";

/** An id of the platform, which rises with the time: https://docs.discord.com/developers/reference#snowflakes */
const Snowflake = z.string().regex(/^\d{1,20}$/);

const UserWire = z.object({
  id: Snowflake,
  username: z.string().default(""),
  global_name: z.string().nullish(),
  bot: z.boolean().default(false),
});

/** A list of which a stranger may send any number. */
const users = z
  .array(z.unknown())
  .default([])
  .transform((list) => list.slice(0, 200).flatMap((each) => UserWire.safeParse(each).data ?? []));

const AttachmentWire = z.object({
  id: Snowflake,
  filename: z.string().default("file"),
  size: z.int().optional(),
  url: z.string(),
  content_type: z.string().optional(),
});

const attachments = z
  .array(z.unknown())
  .default([])
  .transform((list) => list.slice(0, 50).flatMap((each) => AttachmentWire.safeParse(each).data ?? []));

/** A message, of the gateway or of the HTTP API: https://docs.discord.com/developers/resources/message#message-object */
export const MessageWire = z.object({
  id: Snowflake,
  channel_id: Snowflake,
  guild_id: Snowflake.optional(),
  type: z.int().default(0),
  author: UserWire,
  webhook_id: Snowflake.optional(),
  content: z.string().default(""),
  edited_timestamp: z.string().nullish(),
  mentions: users,
  mention_roles: z.array(Snowflake).max(200).catch([]),
  attachments,
  referenced_message: z.object({ author: UserWire }).nullish().catch(undefined),
});

/** A message as it was read. */
export type DiscordMessage = z.output<typeof MessageWire>;

/** A message that is gone, or several. */
export const DeletionWire = z.object({
  id: Snowflake.optional(),
  ids: z.array(Snowflake).max(200).default([]),
  channel_id: Snowflake,
  guild_id: Snowflake.optional(),
});

/** A sign under a message: https://docs.discord.com/developers/events/gateway-events#message-reaction-add */
export const ReactionWire = z.object({
  user_id: Snowflake,
  channel_id: Snowflake,
  message_id: Snowflake,
  guild_id: Snowflake.optional(),
  member: z.object({ user: UserWire.optional() }).nullish(),
  message_author_id: Snowflake.optional(),
  emoji: z.object({ name: z.string().nullish() }),
});

/** A channel, as far as its place goes. */
export const DiscordChannelWire = z.object({ id: Snowflake, type: z.int(), parent_id: Snowflake.nullish() });

/** A button that was pressed, or a command: https://docs.discord.com/developers/interactions/receiving-and-responding */
export const InteractionWire = z.object({
  id: Snowflake,
  token: z.string(),
  type: z.int(),
  guild_id: Snowflake.optional(),
  channel: DiscordChannelWire,
  member: z.object({ user: UserWire }).optional(),
  user: UserWire.optional(),
  message: z.object({ id: Snowflake }).optional(),
  data: z
    .object({
      custom_id: z.string().optional(),
      name: z.string().optional(),
      options: z
        .array(z.object({ value: z.union([z.string(), z.number(), z.boolean()]).optional() }))
        .default([]),
    })
    .optional(),
});

/** A user as it was read. */
export type DiscordUser = z.output<typeof UserWire>;

/** The bot's own account. */
export const BotWire = UserWire;

/** A frame of the gateway: https://docs.discord.com/developers/events/gateway-events#payload-structure */
export const FrameWire = z.object({
  op: z.int(),
  d: z.unknown(),
  s: z.int().nullish(),
  t: z.string().nullish(),
});

/** The first frame. */
export const HelloWire = z.object({ heartbeat_interval: z.number().positive() });

/** The begin of a session. */
export const ReadyWire = z.object({ session_id: z.string(), resume_gateway_url: z.string() });

/** The gateway's address, and how often a session may be begun. */
export const GatewayBotWire = z.object({
  url: z.string(),
  session_start_limit: z.object({ remaining: z.int(), reset_after: z.number() }).optional(),
});

/** Whether an id came after another one. */
export const isLater = (id: string, than: string): boolean => BigInt(id) > BigInt(than);
