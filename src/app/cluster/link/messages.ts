import { z } from "zod";
import { later } from "../../../shared/memo/later.ts";

const row = () =>
  z.object({
    n: z.int(),
    seq: z.int(),
    at: z.number(),
    type: z.string(),
    body: z.string(),
    mid: z.boolean(),
  });

const piece = () => z.object({ cursor: z.int(), kind: z.enum(["text", "reasoning"]), text: z.string() });

/** The messages between hosts. A kind that is not known is of a newer version, and passed over. */
export const linkMessage = later(() =>
  z.discriminatedUnion("t", [
    /** What follows a cursor of a session is wanted, from now on. */
    z.object({ t: z.literal("follow"), session: z.string(), after: z.int() }),
    z.object({ t: z.literal("leave"), session: z.string() }),
    /** What a session has after `from`. */
    z.object({
      t: z.literal("text"),
      session: z.string(),
      from: z.int(),
      to: z.int(),
      n: z.int(),
      rows: z.array(row()),
      endsReply: z.boolean(),
      pieces: z.array(piece()),
    }),
    /** The sender does not drive the session. */
    z.object({ t: z.literal("gone"), session: z.string() }),
  ]),
);

/** A message between hosts. */
export type LinkMessage = z.output<ReturnType<typeof linkMessage>>;
