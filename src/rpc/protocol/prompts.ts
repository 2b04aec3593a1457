import { z } from "zod";
import { sessionMethod } from "./method.ts";

const ContentPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("input_text"), text: z.string() }),
  z.object({ type: z.literal("image_url"), image_url: z.object({ url: z.string() }) }),
  z.object({ type: z.literal("input_image"), image_url: z.string() }),
]);

/** A part of a prompt, as clients of model APIs write it. */
export type ContentPart = z.output<typeof ContentPart>;

/** A client's own name for a prompt. It becomes the prompt's id: sent again, it is the same prompt. */
const SubmissionRef = z
  .string()
  .regex(/^[\x21-\x7e]{1,255}$/, { error: "expected 1 to 255 visible ASCII characters" });

/** A prompt that runs beside the session. */
const beside = {
  params: z.object({ session_id: z.string(), text: z.string().trim().min(1) }),
  result: z.object({ task_id: z.string() }),
  wrong: { text: 4012 },
};

/** Sending work to a session. */
export const PROMPT_METHODS = {
  "prompt.submit": sessionMethod({
    inOrder: true,
    summary:
      "Sends a prompt; answers at once. While a turn runs it is queued, steers or interrupts, as `display.busy_input_mode` says or `mode` asks.",
    params: z.object({
      session_id: z.string(),
      text: z
        .union([z.string(), z.array(ContentPart)], {
          error: "Invalid input: expected text, or a list of content parts",
        })
        .default(""),
      mode: z.enum(["queue", "steer", "interrupt", "refuse"]).optional(),
      submission_ref: SubmissionRef.optional(),
      truncate_before_user_ordinal: z.int().optional(),
      truncate_before_row_id: z.int().optional(),
    }),
    result: z.object({
      status: z.enum(["streaming", "queued", "steered"]),
      prompt_id: z.string(),
      position: z.number(),
      seq: z.number(),
    }),
    codes: { invalid_params: 4012 },
    about: "text",
    wrong: { truncate_before_user_ordinal: 4004, truncate_before_row_id: 4004 },
  }),
  "prompt.background": sessionMethod({
    summary: "Runs a prompt beside the session, without its conversation; ends in one `background.complete`.",
    ...beside,
  }),
  "prompt.btw": sessionMethod({ summary: "The same as `prompt.background`.", ...beside }),
  "prompt.drop": sessionMethod({
    summary: "Takes queued prompts back; gives their texts.",
    params: z.object({ session_id: z.string(), prompt_ids: z.array(z.string()) }),
    result: z.object({ dropped: z.array(z.string()) }),
  }),
  "prompt.confirm": sessionMethod({
    summary:
      "Runs prompts that are held, since a crash or for want of a budget; all held ones when none is named.",
    params: z.object({ session_id: z.string(), prompt_ids: z.array(z.string()).optional() }),
    result: z.object({ confirmed: z.number() }),
  }),
  "session.steer": sessionMethod({
    inOrder: true,
    summary: "Adds text to the running turn, delivered with its next tool results. Never starts a turn.",
    params: z.object({ session_id: z.string(), text: z.string().trim().min(1) }),
    result: z.object({ status: z.enum(["queued", "rejected"]), text: z.string() }),
    wrong: { text: 4002 },
  }),
  "session.redirect": sessionMethod({
    inOrder: true,
    summary: "Interrupts the running turn and goes on with the text; `rejected` when none runs.",
    params: z.object({ session_id: z.string(), text: z.string().trim().min(1) }),
    result: z.object({ status: z.enum(["redirected", "rejected"]), text: z.string() }),
    wrong: { text: 4002 },
  }),
  "session.interrupt": sessionMethod({
    summary:
      "Stops the running turn; a no-op when none runs. The prompts that this connection had queued come back in `dropped`, unless `keep_queue`; to a terminal client, those of all terminal clients on the same host.",
    params: z.object({ session_id: z.string(), keep_queue: z.boolean().default(false) }),
    result: z.object({
      status: z.literal("interrupted"),
      interrupted: z.boolean(),
      dropped: z.array(z.string()),
    }),
  }),
  "terminal.resize": sessionMethod({
    summary:
      "Tells the width of the client's terminal: commands of a session that this connection follows get it as `COLUMNS`.",
    params: z.object({ session_id: z.string(), cols: z.int().min(1).max(10_000).default(80) }),
    result: z.object({ cols: z.number() }),
  }),
} as const;
