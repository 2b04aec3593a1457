import { z } from "zod";

/** https://spec.matrix.org/latest/client-server-api/#forwarding-events-and-relations */
const RelationWire = z.object({
  rel_type: z.string().optional(),
  event_id: z.string().optional(),
  key: z.string().optional(),
  is_falling_back: z.boolean().catch(false),
  "m.in_reply_to": z.object({ event_id: z.string() }).optional().catch(undefined),
});

/** A list of which a stranger may send any number. */
const userIds = z
  .array(z.unknown())
  .catch([])
  .transform((list) => list.slice(0, 1000).filter((each) => typeof each === "string"));

const ContentWire = z.object({
  msgtype: z.string().optional().catch(undefined),
  body: z.string().catch(""),
  filename: z.string().optional().catch(undefined),
  url: z.string().optional().catch(undefined),
  info: z
    .object({ mimetype: z.string().optional().catch(undefined), size: z.int().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  membership: z.string().optional().catch(undefined),
  is_direct: z.boolean().catch(false),
  displayname: z.string().nullish().catch(undefined),
  redacts: z.string().optional().catch(undefined),
  "m.relates_to": RelationWire.optional().catch(undefined),
  "m.new_content": z.object({ msgtype: z.string().optional(), body: z.string() }).optional().catch(undefined),
  "m.mentions": z.object({ user_ids: userIds }).optional().catch(undefined),
});

/** An event of a room: https://spec.matrix.org/latest/client-server-api/#room-event-format */
export const EventWire = z.object({
  type: z.string(),
  event_id: z.string().min(1),
  sender: z.string().min(1),
  origin_server_ts: z.number().catch(0),
  state_key: z.string().optional(),
  redacts: z.string().optional().catch(undefined),
  content: ContentWire,
  unsigned: z
    .object({ prev_content: z.object({ membership: z.string() }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** An event as it was read. */
export type MatrixEvent = z.output<typeof EventWire>;

/** Events that can be read; nothing of the others. */
const events = z
  .array(z.unknown())
  .catch([])
  .transform((list) => list.flatMap((each) => EventWire.safeParse(each).data ?? []));

const JoinedWire = z.object({
  state: z.object({ events }).catch({ events: [] }),
  timeline: z
    .object({ events, limited: z.boolean().catch(false), prev_batch: z.string().optional() })
    .catch({ events: [], limited: false }),
});

/** The news of a room that the bot is in. */
export type JoinedRoom = z.output<typeof JoinedWire>;

/** Events of an invitation have no ids. */
const StrippedWire = z.object({
  type: z.string(),
  sender: z.string().min(1),
  state_key: z.string().optional(),
  content: ContentWire,
});

const InvitedWire = z.object({
  invite_state: z.object({
    events: z
      .array(z.unknown())
      .transform((list) => list.flatMap((each) => StrippedWire.safeParse(each).data ?? [])),
  }),
});

/** An invitation to a room. */
export type InvitedRoom = z.output<typeof InvitedWire>;

/** News: https://spec.matrix.org/latest/client-server-api/#get_matrixclientv3sync */
export const SyncWire = z.object({
  next_batch: z.string().min(1),
  rooms: z
    .object({
      join: z.record(z.string(), JoinedWire).catch({}),
      invite: z.record(z.string(), InvitedWire).catch({}),
    })
    .catch({ join: {}, invite: {} }),
});

/** A page of what was before. */
export const MessagesWire = z.object({ chunk: events, end: z.string().optional() });

/** The members of a room. */
export const MembersWire = z.object({
  joined: z.record(z.string(), z.object({ display_name: z.string().nullish().catch(undefined) })),
});
