import { z } from "zod";

const Row = z.object({
  n: z.int(),
  seq: z.int(),
  at: z.number(),
  type: z.string(),
  body: z.string(),
  mid: z.boolean(),
});

const Piece = z.object({ cursor: z.int(), kind: z.enum(["text", "reasoning"]), text: z.string() });

/** The messages between hosts. A kind that is not known is of a newer version, and passed over. */
export const LinkMessage = z.discriminatedUnion("t", [
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
    rows: z.array(Row),
    endsReply: z.boolean(),
    pieces: z.array(Piece),
  }),
  /** The sender does not drive the session. */
  z.object({ t: z.literal("gone"), session: z.string() }),
]);

/** A message between hosts. */
export type LinkMessage = z.output<typeof LinkMessage>;
