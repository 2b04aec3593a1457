import { z } from "zod";
import { sessionMethod } from "./method.ts";
import { OpenRequest } from "./question.ts";
import { LiveStatus, SessionInfo, Waiting } from "./session-info.ts";
import { TranscriptMessage } from "./transcript-message.ts";
import { BackgroundTaskWire, RunningProcessWire } from "./processes.ts";
import { TodoWire, UsageWire } from "./shapes.ts";

const session = { session_id: z.string() };

const SessionStateWire = z.object({
  session_id: z.string(),
  title: z.string(),
  status: LiveStatus,
  waiting: Waiting.optional(),
  running: z.boolean(),
  seq: z.number(),
  turn: z.object({ turn_id: z.string(), started_at: z.number(), doing: z.string() }).optional(),
  last_turn: z
    .object({
      turn_id: z.string(),
      outcome: z.string(),
      error: z.string().optional(),
      reason: z.string().optional(),
    })
    .optional(),
  queue: z.array(
    z.object({
      prompt_id: z.string(),
      text: z.string(),
      queued_at: z.number(),
      held: z.boolean(),
      from: z.string(),
    }),
  ),
  todos: z.array(TodoWire),
  /** Rules of approvals for this session alone. */
  allowed: z.array(z.string()),
  background: z.array(BackgroundTaskWire),
  /** Commands that run in the background. */
  processes: z.array(RunningProcessWire),
  usage: UsageWire,
  model: z.string(),
  provider: z.string(),
  cwd: z.string(),
  created_at: z.number(),
  last_active: z.number(),
});

/** Reading and changing a conversation. */
export const CONVERSATION_METHODS = {
  "session.history": sessionMethod({
    summary:
      "The conversation for people, newest page first when it is long: go on with `before`. Of a session that is `damaged` it is what stands before the damage.",
    params: z.object({
      ...session,
      limit: z.int().min(1).max(10_000).default(1000),
      before: z.int().min(1).optional(),
    }),
    result: z.object({
      count: z.number(),
      messages: z.array(TranscriptMessage),
      before: z.number().optional(),
      damaged: z.literal(true).optional(),
    }),
  }),
  "session.events.since": sessionMethod({
    summary: "The events after a number, at most 4 MB: `truncated` says that there are more, after `next`.",
    params: z.object({ ...session, last_seen: z.int().min(0).default(0) }),
    result: z.object({
      events: z.array(z.record(z.string(), z.unknown())),
      latest_seq: z.number(),
      next: z.number(),
      truncated: z.boolean(),
      count: z.number(),
      epoch: z.string(),
      open_requests: z.array(OpenRequest),
    }),
  }),
  "session.compress": sessionMethod({
    summary: "Summarizes the older part of the conversation for the model. Nothing is deleted.",
    params: z.object({ ...session, focus_topic: z.string().optional() }),
    result: z.object({
      status: z.enum(["compressed", "aborted"]),
      removed: z.number(),
      before_messages: z.number(),
      after_messages: z.number(),
      before_tokens: z.number(),
      after_tokens: z.number(),
      summary: z.object({
        noop: z.boolean(),
        aborted: z.boolean(),
        fallback_used: z.boolean(),
        headline: z.string(),
        token_line: z.string(),
        note: z.string().nullable(),
      }),
      usage: UsageWire,
      info: SessionInfo,
      messages: z.array(TranscriptMessage),
    }),
  }),
  "session.branch": sessionMethod({
    summary:
      "Copies the session up to its last ended turn, or up to `at`, and follows the copy. The source stays as it is.",
    params: z.object({
      ...session,
      name: z.string().optional(),
      at: z.int().min(1).optional().describe("The `end_row_id` of the last turn that is copied."),
    }),
    result: z.object({
      session_id: z.string(),
      stored_session_id: z.string(),
      title: z.string(),
      parent: z.string(),
      seq: z.number(),
      message_count: z.number(),
      messages: z.array(TranscriptMessage),
      info: SessionInfo,
    }),
  }),
  "session.title": sessionMethod({
    summary: "Shows the title, or sets it.",
    params: z.object({ ...session, title: z.string().trim().min(1).optional() }),
    result: z.object({ title: z.string(), session_key: z.string(), pending: z.boolean() }),
    wrong: { title: 4021 },
  }),
  "session.usage": sessionMethod({
    summary: "Tokens and cost of the session.",
    params: z.object(session),
    result: UsageWire,
  }),
  "session.status": sessionMethod({
    summary: "What the session is doing, in words for people and as a state for programs.",
    params: z.object(session),
    result: z.object({
      output: z.string(),
      state: SessionStateWire,
      open_requests: z.array(OpenRequest),
    }),
  }),
  "session.undo": sessionMethod({
    inOrder: true,
    summary: "Takes the newest turns out of the conversation; gives back their prompts.",
    params: z.object({ ...session, turns: z.int().min(1).default(1) }),
    result: z.object({ removed: z.number(), prompts: z.array(z.string()) }),
  }),
  "session.prompts": sessionMethod({
    summary: "The newest prompts of the conversation, newest first.",
    params: z.object({ ...session, limit: z.int().min(1).max(1000).default(200) }),
    result: z.object({
      prompts: z.array(z.object({ prompt_id: z.string(), text: z.string(), at: z.number() })),
    }),
  }),
  "session.rewind": sessionMethod({
    inOrder: true,
    summary: "Takes the conversation back to before a prompt of it; gives the prompt's text.",
    params: z.object({ ...session, prompt_id: z.string() }),
    result: z.object({ text: z.string(), turns: z.number() }),
  }),
  "session.save": sessionMethod({
    summary: "Writes the conversation to a file of the host.",
    params: z.object(session),
    result: z.object({ file: z.string() }),
    codes: { internal: 5011 },
  }),
} as const;
