import { z } from "zod";
import { named } from "./shapes.ts";

/**
 * A line of the conversation as clients render it. Tool rows have a label in `context` and no `text`; they stand
 * before the assistant text that they led to. `row_id` is the session's cursor after the line.
 */
export const TranscriptMessage = named(
  "TranscriptMessage",
  z.object({
    role: z.enum(["user", "assistant", "system", "tool"]),
    text: z.string().optional(),
    name: z.string().optional(),
    context: z.string().optional(),
    reasoning: z.string().optional(),
    row_id: z.number(),
    timestamp: z.number(),
    display_kind: z.string().optional(),
    tool_call_id: z.string().optional(),
    outcome: z.enum(["ok", "error", "denied", "cancelled", "unknown"]).optional(),
    result_text: z.string().optional(),
    images: z.number().optional(),
  }),
);

/** A message of the conversation, as clients render it. */
export type TranscriptMessage = z.output<typeof TranscriptMessage>;

/** The running turn so far; the deltas after the answer's `seq` continue `assistant`. */
export const InflightTurn = named(
  "InflightTurn",
  z.object({
    user: z.string(),
    assistant: z.string(),
    streaming: z.boolean(),
    turn_id: z.string(),
    started_at: z.number(),
    from: z.number(),
  }),
);
