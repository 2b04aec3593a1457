import { z } from "zod";
import { EndedProcessWire, RunningProcessWire } from "./processes.ts";
import { ApprovalWire, ClarifyWire, ResolvedWire, SecretWire, SudoWire } from "./question.ts";
import { SessionInfo } from "./session-info.ts";
import { named, TodoWire, UsageWire } from "./shapes.ts";
import { Skin } from "./skin.ts";

/** One row of the event table; `session` says whose it is: one session's, everybody's, or the connection's alone. */
export interface EventRow<P extends z.ZodType = z.ZodType> {
  readonly summary: string;
  readonly session: "one" | "all" | "none";
  readonly payload: P;
}

const one = <P extends z.ZodType>(summary: string, payload: P): EventRow<P> => ({
  summary,
  session: "one",
  payload,
});

const Text = z.object({ text: z.string() });
const Expired = z.object({ request_id: z.string() });
const From = z.object({ surface: z.string(), client: z.string().optional() });

/** A failure in the host's own words: `code` is one of its error codes. */
const ErrorWire = named(
  "Error",
  z.object({ code: z.string(), message: z.string(), retry_after_ms: z.number().optional() }),
);

const ToolStart = z.object({
  tool_id: z.string(),
  name: z.string(),
  context: z.string(),
  kind: z.string(),
  args: z.record(z.string(), z.unknown()),
  args_text: z.string().optional(),
  inline_diff: z.string().optional(),
});

const ToolComplete = z.object({
  tool_id: z.string(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
  result: z.unknown(),
  /** Characters of the result before it was cut, and where the whole of it is kept. */
  result_length: z.number().optional(),
  result_ref: z.string().optional(),
  outcome: z.enum(["ok", "error", "denied", "cancelled", "unknown"]),
  duration_s: z.number(),
  summary: z.string().optional(),
  result_text: z.string().optional(),
  inline_diff: z.string().optional(),
  todos: z.array(TodoWire).optional(),
  error: z.string().optional(),
});

const MessageComplete = z.object({
  text: z.string(),
  usage: UsageWire,
  status: z.enum(["complete", "interrupted", "error"]),
  turn_id: z.string(),
  reasoning: z.string().optional(),
  error: ErrorWire.optional(),
  /** Why the answer is not whole, when the turn is complete. */
  warning: z.string().optional(),
  /** Why it was cut short. */
  reason: z.string().optional(),
  /** The surface where somebody stopped it. */
  stopped_by: z.string().optional(),
});

const Subagent = named(
  "SubagentEvent",
  z.object({
    goal: z.string(),
    task_count: z.number(),
    task_index: z.number(),
    subagent_id: z.string().optional(),
    parent_id: z.string().optional(),
    child_session_id: z.string().optional(),
    depth: z.number().optional(),
    model: z.string().optional(),
    tool_count: z.number().optional(),
    toolsets: z.array(z.string()).optional(),
    tool_name: z.string().optional(),
    tool_preview: z.string().optional(),
    text: z.string().optional(),
    status: z.string().optional(),
    summary: z.string().optional(),
    duration_seconds: z.number().optional(),
    input_tokens: z.number().optional(),
    output_tokens: z.number().optional(),
    reasoning_tokens: z.number().optional(),
    api_calls: z.number().optional(),
    cost_usd: z.number().optional(),
    files_read: z.array(z.string()).optional(),
    files_written: z.array(z.string()).optional(),
    output_tail: z
      .array(z.object({ tool: z.string(), preview: z.string(), is_error: z.boolean() }))
      .optional(),
  }),
);

/** Every event of the gateway, once. Types, encoders, the client and the reference come from it. */
export const EVENTS = {
  "gateway.ready": {
    summary: "The first frame of a connection.",
    session: "none",
    payload: z.object({
      skin: Skin,
      version: z.string(),
      change_events: z.boolean(),
      replay_epoch: z.string(),
      heartbeat: z.boolean(),
      shared_session: z.object({ version: z.number(), socket_id: z.string() }),
    }),
  },
  "gateway.draining": {
    summary: "The host is shutting down: running turns may end, nothing new is taken.",
    session: "all",
    payload: z.object({ message: z.string() }),
  },
  "connectors.changed": {
    summary: "A chat platform came or went: fetch `connectors.list` again when it is on the screen.",
    session: "all",
    payload: z.object({ platform: z.string(), state: z.string() }),
  },
  "skin.changed": {
    summary: "Another skin was chosen; the payload is the skin itself.",
    session: "all",
    payload: Skin,
  },
  "sessions.changed": {
    summary: "The list of sessions changed: fetch it again when it is on the screen.",
    session: "all",
    payload: z.object({
      session_id: z.string(),
      change: z.enum(["created", "updated", "closed", "deleted"]),
    }),
  },
  "session.info": one(
    "The session as status lines show it; with `running: false` it ends a turn.",
    SessionInfo,
  ),
  "session.title": one(
    "The session has a title, or another one.",
    z.object({ session_id: z.string(), title: z.string() }),
  ),
  "session.usage": one("Tokens after a model call, while the turn goes on.", z.object({ usage: UsageWire })),
  "session.reclaimed": {
    summary:
      "The session is not among the open ones any more: with the reason `idle` it is stored and can be resumed, with `deleted` it is gone.",
    session: "all",
    payload: z.object({ session_id: z.string(), stored_session_id: z.string(), reason: z.string() }),
  },
  "history.changed": one(
    "Turns were undone, or the past was summarized for the model: fetch the history again.",
    z.object({
      reason: z.enum(["undo", "compress"]),
      turns: z.number().optional(),
      /** Files that tools changed in the turns that were taken back, absolute: they stay as they are. */
      files: z.array(z.string()).optional(),
      /** So many files were put back with the turns. */
      restored: z.number().optional(),
      /** The conversation up to here is what `session.history` has before this. */
      before: z.number().optional(),
    }),
  ),
  "prompt.queued": one(
    "A prompt waits behind the running turn.",
    z.object({ prompt_id: z.string(), text: z.string(), from: From }),
  ),
  "prompt.dropped": one(
    "Queued prompts were taken back.",
    z.object({ prompt_ids: z.array(z.string()), reason: z.string() }),
  ),
  "prompt.held": one(
    "Queued prompts wait for somebody to confirm them.",
    z.object({ prompt_ids: z.array(z.string()) }),
  ),
  "prompt.confirmed": one("Held prompts may run.", z.object({ prompt_ids: z.array(z.string()) })),
  "message.start": one(
    "A turn begins.",
    z.object({
      turn_id: z.string(),
      prompt_id: z.string(),
      text: z.string(),
      images: z.number(),
      attached: z
        .array(z.string())
        .optional()
        .describe("Paths of files and commands whose content went along"),
      from: From,
    }),
  ),
  "message.delta": one("Text of the answer as it streams.", Text),
  "message.complete": one(
    "The answer is whole; `text` is all text of the turn, equal to its deltas joined.",
    MessageComplete,
  ),
  "thinking.delta": one("What to show while a model call runs; empty when it is over.", Text),
  "reasoning.delta": one(
    "The model's reasoning as it streams.",
    Text.extend({ verbose: z.literal(true).optional() }),
  ),
  "reasoning.available": one(
    "The beginning of what the model said beside its tool calls.",
    Text.extend({ verbose: z.literal(true).optional() }),
  ),
  "status.update": one(
    "A passing state in words.",
    z.object({ kind: z.string(), text: z.string(), until: z.number().optional() }),
  ),
  "steer.accepted": one(
    "Text will be added to the running turn.",
    Text.extend({ steer_id: z.string(), from: From }),
  ),
  "steer.delivered": one("Steering text reached the model.", Text.extend({ steer_ids: z.array(z.string()) })),
  "shell.output": one(
    "Output of a command that a person runs with `shell.exec` and a `stream_id`; only its client gets it.",
    Text.extend({ stream_id: z.string() }),
  ),
  "process.start": one("A command runs in the background from here on.", RunningProcessWire),
  "process.complete": one(
    "A command in the background is over; the model hears of it within the running turn, or with the next prompt.",
    EndedProcessWire,
  ),
  "tool.generating": one("The model began to write a tool call.", z.object({ name: z.string() })),
  "tool.start": one("A tool call begins.", ToolStart),
  "tool.progress": one(
    "The newest lines of a running call, replacing the preview before.",
    z.object({ tool_id: z.string(), name: z.string(), preview: z.string() }),
  ),
  "tool.complete": one("A tool call is over.", ToolComplete),
  "todo.updated": one(
    "The list of steps changed.",
    z.object({ todos: z.array(TodoWire), revision: z.number() }),
  ),
  "approval.request": one("Somebody must allow a call before it runs.", ApprovalWire),
  "approval.resolved": one("An approval is decided, or over.", ResolvedWire),
  "approval.expire": one("Nobody answered an approval in time.", Expired),
  "clarify.request": one("The model asks a question.", ClarifyWire),
  "clarify.resolved": one("A question of the model is answered, or over.", ResolvedWire),
  "clarify.expire": one("Nobody answered a question of the model in time.", Expired),
  "sudo.request": one("A command needs a password.", SudoWire),
  "sudo.resolved": one("The password was given, or is not needed any more.", ResolvedWire),
  "sudo.expire": one("Nobody gave a password in time.", Expired),
  "secret.request": one("A tool needs the value of a variable.", SecretWire),
  "secret.resolved": one("The value was given, or is not needed any more.", ResolvedWire),
  "secret.expire": one("Nobody gave the value in time.", Expired),
  "request.cancel": one(
    "A question that this connection got as a request needs no answer any more.",
    z.object({
      id: z.string(),
      method: z.enum(["approval", "clarify", "sudo", "secret"]),
      reason: z.enum(["timeout", "interrupted", "shutdown", "resolved", "session_closed"]),
    }),
  ),
  "background.start": one("A prompt runs beside the session.", Text.extend({ task_id: z.string() })),
  "background.complete": one(
    "A prompt beside the session is done.",
    Text.extend({ task_id: z.string(), status: z.enum(["completed", "cancelled", "failed", "interrupted"]) }),
  ),
  "subagent.spawn_requested": one("A subagent is about to be made.", Subagent),
  "subagent.start": one("A subagent begins.", Subagent),
  "subagent.thinking": one("What a subagent thinks, in a line.", Subagent),
  "subagent.tool": one("A subagent calls a tool.", Subagent),
  "subagent.progress": one("What a subagent has been doing.", Subagent),
  "subagent.complete": one("A subagent is done.", Subagent),
  error: one(
    "Something failed that no request waits for, or the turn that runs.",
    z.object({ message: z.string(), code: z.string() }),
  ),
} as const satisfies Record<string, EventRow>;

/** The names of all events. */
export type EventName = keyof typeof EVENTS;

/** The payload of an event of a name. */
export type Payload<T extends EventName> = z.output<(typeof EVENTS)[T]["payload"]>;

/** An event without its session and its place there. */
export type EventBody = {
  readonly [T in EventName]: { readonly type: T; readonly payload: Payload<T> };
}[EventName];

/**
 * An event as it stands in the `params` of an `event` notification. `seq` is its number in its session; no two have the
 * same, and later ones have greater ones. Ask for what comes after a number with `session.events.since`, or resume with
 * `last_seen`. Events that are in no log, such as `tool.progress`, have none and are never repeated. `at` is when it
 * happened, Unix seconds, of an event from before the client came; text has none.
 */
export type GatewayEvent = EventBody & {
  readonly session_id?: string;
  readonly seq?: number;
  readonly at?: number;
};
