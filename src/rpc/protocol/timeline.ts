import { z } from "zod";
import { sessionMethod } from "./method.ts";
import { named, UsageWire } from "./shapes.ts";

const Kind = z.enum(["crash", "compaction", "model", "tool", "subagent", "waiting", "retry", "host"]);

const stretch = { start: z.number(), end: z.number().optional() };

const Sender = z.object({ surface: z.string(), client: z.string().optional() });

/** Something that took time in a turn; times are Unix seconds, and one that goes on has no `end`. */
export const SpanWire = named(
  "Span",
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("model"),
      ...stretch,
      provider: z.string().optional(),
      model: z.string().optional(),
      first_at: z.number().optional().describe("The first text, thought or call of the reply came."),
      finish: z.string().optional(),
      usage: UsageWire.optional(),
      failure: z.string().optional(),
    }),
    z.object({ kind: z.literal("retry"), ...stretch, attempt: z.number(), failure: z.string() }),
    z.object({
      kind: z.literal("tool"),
      ...stretch,
      tool_id: z.string(),
      name: z.string(),
      label: z.string(),
      outcome: z.enum(["ok", "error", "denied", "cancelled", "unknown"]).optional(),
    }),
    z.object({
      kind: z.literal("waiting"),
      ...stretch,
      request_id: z.string(),
      tool_id: z.string(),
      question: z.enum(["approval", "clarify", "sudo", "secret"]),
      about: z.string(),
      asked: Sender.describe("Where the turn's prompt came from, so where people were asked first."),
      child_session_id: z.string().optional().describe("The subagent that asked."),
      outcome: z.enum(["answered", "expired", "refused", "cancelled"]).optional(),
      choice: z.string().optional(),
      by: Sender.optional(),
    }),
    z.object({
      kind: z.literal("compaction"),
      ...stretch,
      usage: UsageWire,
      tokens_before: z.number().optional(),
      tokens_after: z.number().optional(),
      failure: z.string().optional(),
    }),
    z.object({
      kind: z.literal("subagent"),
      ...stretch,
      subagent_id: z.string(),
      tool_id: z.string(),
      child_session_id: z.string(),
      goal: z.string(),
      model: z.string(),
      depth: z.number(),
      status: z.string().optional(),
      usage: UsageWire.optional(),
    }),
    z.object({ kind: z.literal("crash"), ...stretch, during: z.string() }),
  ]),
);

/** A stretch of a turn, and what took that time. */
export type SpanWire = z.output<typeof SpanWire>;

/** A turn and where its time went. `row_id` is that of its prompt in `session.history`; times are Unix seconds. */
export const TurnTimelineWire = named(
  "TurnTimeline",
  z.object({
    turn_id: z.string(),
    prompt_id: z.string(),
    row_id: z.number(),
    end_row_id: z.number().optional().describe("Behind its last row: `session.branch` copies up to there."),
    text: z.string(),
    from: Sender,
    started_at: z.number(),
    ended_at: z.number().optional(),
    queued_at: z.number().optional().describe("Its prompt waited in the queue since then."),
    outcome: z.enum(["completed", "cancelled", "failed", "interrupted"]).optional(),
    reason: z.string().optional(),
    error: z.string().optional(),
    stopped_by: z.string().optional(),
    taken_back: z.boolean(),
    usage: UsageWire,
    spans: z.array(SpanWire).describe("They overlap: calls run side by side, a wait lies within its call."),
    segments: z
      .array(z.object({ kind: Kind, start: z.number(), end: z.number() }))
      .describe("All of the turn, each moment once; `host` is what no span explains."),
    totals_s: z.record(Kind, z.number()).describe("Seconds by kind; together they are the turn's length."),
  }),
);

/** A turn and where its time went. */
export type TurnTimelineWire = z.output<typeof TurnTimelineWire>;

/** The method that tells where the time of turns went. */
export const TIMELINE_METHODS = {
  "session.timeline": sessionMethod({
    summary:
      "Where the time of the newest turns went, oldest first: model, tools, waiting and for whom, crashes; go on with `before`. A turn that runs goes on at `now`.",
    params: z.object({
      session_id: z.string(),
      limit: z.int().min(1).max(200).default(20),
      before: z.int().min(1).optional(),
    }),
    result: z.object({
      turns: z.array(TurnTimelineWire),
      before: z.number().optional(),
      now: z.number(),
    }),
  }),
} as const;
