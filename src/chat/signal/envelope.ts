import { z } from "zod";

const text = z.string().nullish().catch(undefined);

const MentionWire = z.object({
  name: text,
  number: text,
  uuid: text,
  start: z.int().nonnegative(),
  length: z.int().nonnegative(),
});

const AttachmentWire = z.object({
  id: z.string().min(1),
  contentType: text,
  filename: text,
  size: z.int().nullish().catch(undefined),
});

/** A list of which a stranger may send any number. */
const some = <T extends z.ZodType>(item: T, most: number) =>
  z
    .array(z.unknown())
    .nullish()
    .catch([])
    .transform((list) => (list ?? []).slice(0, most).flatMap((each) => item.safeParse(each).data ?? []));

/** What somebody says, or does about a message: https://github.com/AsamK/signal-cli/wiki/JSON-RPC-service */
const DataWire = z.object({
  timestamp: z.int().positive(),
  message: text,
  groupInfo: z
    .object({ groupId: z.string().min(1) })
    .nullish()
    .catch(undefined),
  mentions: some(MentionWire, 1000),
  attachments: some(AttachmentWire, 50),
  quote: z.object({ authorNumber: text, authorUuid: text }).nullish().catch(undefined),
  reaction: z
    .object({
      emoji: z.string(),
      targetAuthorNumber: text,
      targetAuthorUuid: text,
      targetSentTimestamp: z.int(),
      isRemove: z.boolean().catch(false),
    })
    .nullish()
    .catch(undefined),
  remoteDelete: z.object({ timestamp: z.int() }).nullish().catch(undefined),
});

/** A message, or what somebody does about one, as it was read. */
export type SignalData = z.output<typeof DataWire>;

/** A message as signal-cli hands it over, in its envelope. */
export const EnvelopeWire = z.object({
  envelope: z.object({
    sourceNumber: text,
    sourceUuid: text,
    sourceName: text,
    dataMessage: DataWire.nullish().catch(undefined),
    editMessage: z.object({ targetSentTimestamp: z.int(), dataMessage: DataWire }).nullish().catch(undefined),
  }),
});

/** An envelope as it was read. */
export type SignalEnvelope = z.output<typeof EnvelopeWire>["envelope"];
