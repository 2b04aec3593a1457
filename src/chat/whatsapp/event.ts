import { z } from "zod";

const MediaWire = z.object({
  id: z.string().min(1),
  mime_type: z.string().default("application/octet-stream"),
  caption: z.string().optional(),
  filename: z.string().optional(),
});

const ReplyWire = z.object({ id: z.string(), title: z.string().default("") });

const ContactWire = z.object({
  name: z.object({ formatted_name: z.string().default("") }).optional(),
  phones: z.array(z.object({ phone: z.string().default("") })).default([]),
});

/** Of a list that others send, what counts is that it is there. */
const listOf = <T>(wire: z.ZodType<T>, most: number) =>
  z
    .array(z.unknown())
    .default([])
    .transform((list) => list.slice(0, most).flatMap((each) => wire.safeParse(each).data ?? []));

/** What is said: the same in a message and in its change. */
const CONTENT = {
  type: z.string(),
  text: z.object({ body: z.string() }).optional(),
  image: MediaWire.optional(),
  video: MediaWire.optional(),
  audio: MediaWire.optional(),
  document: MediaWire.optional(),
  sticker: MediaWire.optional(),
  location: z
    .object({
      latitude: z.number(),
      longitude: z.number(),
      name: z.string().optional(),
      address: z.string().optional(),
    })
    .optional(),
  contacts: listOf(ContactWire, 20),
  button: z.object({ text: z.string() }).optional(),
};

const ContentWire = z.object(CONTENT);

const MessageWire = z.object({
  ...CONTENT,
  id: z.string().min(1),
  from: z.string().optional(),
  from_user_id: z.string().optional(),
  group_id: z.string().optional(),
  context: z.object({ id: z.string().optional() }).optional(),
  interactive: z.object({ button_reply: ReplyWire.optional(), list_reply: ReplyWire.optional() }).optional(),
  reaction: z.object({ message_id: z.string(), emoji: z.string().default("") }).optional(),
  edit: z.object({ original_message_id: z.string(), message: ContentWire.optional() }).optional(),
  revoke: z.object({ original_message_id: z.string() }).optional(),
});

const ProfileWire = z.object({
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
  profile: z.object({ name: z.string().default("") }).optional(),
});

const StatusWire = z.object({
  id: z.string().min(1),
  status: z.string(),
  recipient_id: z.string().optional(),
  recipient_user_id: z.string().optional(),
  errors: z.array(z.unknown()).default([]),
});

/** Meta puts up to a thousand into one request. */
const MOST = 1000;

const ChangeWire = z.object({
  field: z.literal("messages"),
  value: z.object({
    metadata: z.object({ phone_number_id: z.string() }),
    contacts: listOf(ProfileWire, MOST),
    messages: listOf(MessageWire, MOST),
    statuses: listOf(StatusWire, MOST),
  }),
});

/** A request, as far as it is read: https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference/messages */
export const NoticeWire = z.object({
  object: z.literal("whatsapp_business_account"),
  entry: listOf(z.object({ changes: listOf(ChangeWire, MOST) }), MOST),
});

/** A message as it was read. */
export type WhatsappMessage = z.output<typeof MessageWire>;
/** The content of a message. */
export type WhatsappContent = z.output<typeof ContentWire>;
/** The name of somebody who wrote. */
export type WhatsappProfile = z.output<typeof ProfileWire>;
/** The state of a message of ours. */
export type WhatsappStatus = z.output<typeof StatusWire>;
