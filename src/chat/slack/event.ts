import { z } from "zod";

const FileWire = z.object({
  id: z.string(),
  name: z.string().nullish(),
  mimetype: z.string().nullish(),
  size: z.int().nullish(),
  url_private: z.string().nullish(),
  url_private_download: z.string().nullish(),
});

/** Of a list that others send, what counts is that it is there: https://docs.slack.dev/reference/objects/file-object */
const files = z
  .array(z.unknown())
  .default([])
  .transform((list) => list.slice(0, 100).flatMap((each) => FileWire.safeParse(each).data ?? []));

/** A message within a change or a deletion. */
const InnerWire = z.object({
  ts: z.string().optional(),
  thread_ts: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  subtype: z.string().optional(),
  text: z.string().default(""),
});

const MessageWire = z.object({
  type: z.enum(["message", "app_mention"]),
  subtype: z.string().optional(),
  channel: z.string(),
  channel_type: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  ts: z.string(),
  thread_ts: z.string().optional(),
  parent_user_id: z.string().optional(),
  text: z.string().default(""),
  files,
  message: InnerWire.optional(),
  previous_message: InnerWire.optional(),
  deleted_ts: z.string().optional(),
});

const ReactionWire = z.object({
  type: z.enum(["reaction_added", "reaction_removed"]),
  user: z.string(),
  reaction: z.string(),
  item: z.object({ type: z.literal("message"), channel: z.string(), ts: z.string() }),
});

/** A call of the Events API, as far as it is read: https://docs.slack.dev/apis/events-api#callback-field */
export const CallbackWire = z.object({
  type: z.literal("event_callback"),
  event_id: z.string().min(1),
  event: z.union([MessageWire, ReactionWire]),
});

/** A pressed button: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export const ActionsWire = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: z.string(), username: z.string().optional(), name: z.string().optional() }),
  container: z.object({ message_ts: z.string(), channel_id: z.string(), thread_ts: z.string().optional() }),
  message: z.object({ thread_ts: z.string().optional() }).optional(),
  actions: z
    .array(
      z.object({ action_ts: z.string().default(""), action_id: z.string(), value: z.string().default("") }),
    )
    .min(1),
});

/** A command of Slack's own: https://docs.slack.dev/interactivity/implementing-slash-commands */
export const CommandWire = z.object({
  command: z.string(),
  text: z.string().default(""),
  channel_id: z.string(),
  user_id: z.string(),
  user_name: z.string().optional(),
  trigger_id: z.string().min(1),
});

/** A message as an event brings it. */
export type MessageEvent = z.output<typeof MessageWire>;
/** A reaction as an event brings it. */
export type ReactionEvent = z.output<typeof ReactionWire>;
/** A file of a message. */
export type SlackFile = z.output<typeof FileWire>;
