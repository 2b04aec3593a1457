import { z } from "zod";

const PersonWire = z.object({ open_id: z.string().min(1) });

const MentionWire = z.object({
  key: z.string().min(1),
  name: z.string().default(""),
  id: z.object({ open_id: z.string().nullish() }).optional(),
});

/** What counts of a list that others send is that it is there. */
const mentions = z
  .array(z.unknown())
  .nullish()
  .transform((list) => (list ?? []).flatMap((each) => MentionWire.safeParse(each).data ?? []));

/** https://open.feishu.cn/document/server-docs/im-v1/message/events/receive */
export const ReceivedWire = z.object({
  sender: z.object({ sender_id: PersonWire, sender_type: z.string() }),
  message: z.object({
    message_id: z.string().min(1),
    root_id: z.string().optional(),
    thread_id: z.string().optional(),
    chat_id: z.string().min(1),
    chat_type: z.string(),
    message_type: z.string(),
    content: z.string().default(""),
    mentions,
  }),
});

/** https://open.feishu.cn/document/server-docs/im-v1/message/events/recalled; it does not say by whom. */
export const RecalledWire = z.object({ message_id: z.string().min(1), chat_id: z.string().min(1) });

/** https://open.feishu.cn/document/server-docs/im-v1/message-reaction/events/created, and `deleted`; it does not say in which chat. */
export const FeishuReactionWire = z.object({
  message_id: z.string().min(1),
  operator_type: z.literal("user"),
  user_id: PersonWire,
  reaction_type: z.object({ emoji_type: z.string() }),
});

/** https://open.feishu.cn/document/feishu-cards/card-callback-communication */
export const ClickWire = z.object({
  operator: PersonWire,
  action: z.object({
    value: z.object({
      answer: z.string().min(1),
      kind: z.enum(["direct", "channel"]),
      thread: z.string().optional(),
    }),
  }),
  context: z.object({ open_message_id: z.string().min(1), open_chat_id: z.string().min(1) }),
});

/** An event, as it comes through both ways: https://open.feishu.cn/document/server-docs/event-subscription-guide/overview */
export const FeishuEventWire = z.object({
  header: z.object({
    event_id: z.string().min(1),
    event_type: z.string(),
    token: z.string().default(""),
  }),
  event: z.unknown(),
});

/** A message as an event brings it. */
export type FeishuMessage = z.output<typeof ReceivedWire>["message"];
/** A mention of somebody in a message. */
export type FeishuMention = z.output<typeof MentionWire>;
