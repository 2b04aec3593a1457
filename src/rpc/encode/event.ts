import { cutAnswer, promptText, type Session, type SessionEvent, type UserPart } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { type ByType, callByType, type MemberOf } from "../../shared/union/by-type.ts";
import { displaySettings, type DisplaySettings } from "../gateway/display.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { EventBody } from "../protocol/events.ts";
import type { QuestionKind } from "../protocol/question.ts";
import {
  approvalPayload,
  cancelReason,
  clarifyPayload,
  resolvedPayload,
  secretPayload,
  serverRequestId,
  sudoPayload,
} from "./question.ts";
import { type CallInputs, runningCalls } from "./running-calls.ts";
import { modelOf, sessionInfo } from "./session-info.ts";
import { subagentEvent } from "./subagent.ts";
import { seconds } from "./time.ts";
import { encodeToolComplete, encodeToolStart } from "./tool.ts";
import { encodeContext, encodeSessionUsage, encodeUsage } from "./usage.ts";

type EventOf<T extends SessionEvent["type"]> = MemberOf<SessionEvent, T>;
type Bodies = readonly EventBody[];

/** One reading of a session: the facts that encoders need beside the event. */
interface Reading {
  readonly gateway: GatewayContext;
  readonly session: Session;
  readonly inputs: CallInputs;
}

/** Characters of a reply that `reasoning.available` shows. */
const PREVIEW = 500;
const THOUGHT: EventBody = { type: "thinking.delta", payload: { text: "" } };
const THINKING_AGAIN: Bodies = [{ type: "thinking.delta", payload: { text: "thinking…" } }];
const NOTICE_KINDS = { info: "lifecycle", warn: "warn", error: "error" } as const;
const NOTHING: Bodies = [];

const nothing = (): Bodies => NOTHING;
const status = (kind: string, text: string): EventBody => ({
  type: "status.update",
  payload: { kind, text },
});
const subagent = (event: Parameters<typeof subagentEvent>[0], reading: Reading): Bodies =>
  unlessOff(reading, [subagentEvent(event)]);

const ENCODERS: ByType<SessionEvent, Reading, Bodies | Promise<Bodies>> = {
  "session.start": nothing,
  "session.branch": nothing,
  "session.import": nothing,
  "session.end": (_event, reading) => info(reading),
  "settings.set": (_event, reading) => info(reading),
  "user.set": nothing,
  "title.set": ({ title }, reading) =>
    info(reading, [{ type: "session.title", payload: { session_id: reading.session.id, title } }]),
  "approval.pattern": nothing,
  "history.given": nothing,
  "history.undo": ({ turns, files = [], restored, seq: before }, reading) =>
    info(reading, [
      {
        type: "history.changed",
        payload: {
          reason: "undo",
          turns,
          ...(files.length === 0 ? {} : { files: [...files] }),
          before,
          ...defined({ restored }),
        },
      },
    ]),
  "history.compress": (_event, reading) =>
    info(reading, [{ type: "history.changed", payload: { reason: "compress" } }, status("status", "ready")]),
  "history.compress_failed": ({ reason }) => [
    status("warn", `The conversation was not compressed: ${reason}`),
  ],
  "prompt.queued": ({ type, prompt: { id: prompt_id, parts, from } }) => [
    { type, payload: { prompt_id, text: promptText(parts), from: { ...from } } },
  ],
  "prompt.dropped": ({ type, promptIds, reason }) => [
    { type, payload: { prompt_ids: [...promptIds], reason } },
  ],
  "prompt.held": ({ type, promptIds }) => [{ type, payload: { prompt_ids: [...promptIds] } }],
  "prompt.confirmed": ({ type, promptIds }) => [{ type, payload: { prompt_ids: [...promptIds] } }],
  "steer.accepted": ({ type, steerId, text, from }) => [
    { type, payload: { steer_id: steerId, text, from: { ...from } } },
  ],
  "steer.delivered": ({ type, steerIds, text }) => [{ type, payload: { steer_ids: [...steerIds], text } }],
  "process.start": ({ type, at, processId: process_id, command }) => [
    { type, payload: { process_id, command, started_at: seconds(at) } },
  ],
  "process.complete": ({ type, processId: process_id, command, exitCode, signal, withHost, heard }) => {
    const end = { exit_code: exitCode ?? undefined, signal: signal ?? undefined };
    return [{ type, payload: { process_id, command, ...defined({ ...end, with_host: withHost, heard }) } }];
  },
  "process.told": nothing,
  "turn.feedback": nothing,
  "todos.cleared": ({ seq }) => [{ type: "todo.updated", payload: { todos: [], revision: seq } }],
  notice: ({ level, text }) => [status(NOTICE_KINDS[level], text)],
  "status.update": ({ kind, text }) => [status(kind, text)],
  "background.start": ({ type, taskId, text }) => [{ type, payload: { task_id: taskId, text } }],
  "background.complete": ({ type, taskId, text, outcome }) => [
    { type, payload: { task_id: taskId, text, status: outcome } },
  ],

  "turn.start": turnStart,
  "model.retry": retry,
  "message.delta": ({ type, text }) => [{ type, payload: { text } }],
  "reasoning.delta": ({ type, text }) => [{ type, payload: { text } }],
  "reply.complete": replyComplete,
  "message.complete": messageComplete,
  "turn.end": ({ turnId }, reading) => {
    reading.inputs.clear();
    const running = reading.session.state.turn?.turnId;
    // The next turn may run already: this is how the session was when this one ended.
    return info(reading, NOTHING, running === undefined || running === turnId);
  },

  "tool.generating": ({ type, name }, reading) => unlessOff(reading, [{ type, payload: { name } }]),
  "tool.start": toolStart,
  "tool.progress": ({ type, callId, name, preview }, reading) =>
    unlessOff(reading, [{ type, payload: { tool_id: callId, name, preview } }]),
  "tool.complete": toolComplete,

  "approval.request": (event, { gateway }) => [
    { type: event.type, payload: approvalPayload(event, gateway.ports.diff) },
  ],
  "clarify.request": (event) => [{ type: event.type, payload: clarifyPayload(event) }],
  "sudo.request": (event) => [{ type: event.type, payload: sudoPayload(event) }],
  "secret.request": (event) => [{ type: event.type, payload: secretPayload(event) }],
  "approval.resolved": (event, reading) => resolved("approval", event, reading),
  "clarify.resolved": (event, reading) => resolved("clarify", event, reading),
  "sudo.resolved": (event, reading) => resolved("sudo", event, reading),
  "secret.resolved": (event, reading) => resolved("secret", event, reading),

  "subagent.spawn_requested": subagent,
  "subagent.start": subagent,
  "subagent.thinking": subagent,
  "subagent.tool": subagent,
  "subagent.progress": subagent,
  "subagent.complete": subagent,
};

/** An encoder for one reader: it gives the events of the gateway that an event of the log stands for, in order. */
export type EventEncoder = (event: SessionEvent) => Bodies | Promise<Bodies>;

/** Makes the encoder of what follows a cursor. Wherever a reading begins, an event is encoded alike. */
export async function encoderAfter(
  cursor: number,
  gateway: GatewayContext,
  session: Session,
): Promise<EventEncoder> {
  const inputs = await runningCalls(gateway.host.services.store, session, cursor);
  const reading: Reading = { gateway, session, inputs };
  return (event) => callByType(ENCODERS, event, reading);
}

const toolDetail = ({ gateway }: Reading): DisplaySettings["toolDetail"] =>
  displaySettings(gateway.ports.config.values()).toolDetail;

const unlessOff = (reading: Reading, bodies: Bodies): Bodies =>
  toolDetail(reading) === "off" ? NOTHING : bodies;

/** A session's own info last, at the cursor of the event that changed it. */
async function info({ gateway, session }: Reading, before = NOTHING, idle = false): Promise<Bodies> {
  const payload = await sessionInfo(gateway, session, idle ? { status: "idle" } : undefined);
  return [...before, { type: "session.info", payload: idle ? { ...payload, running: false } : payload }];
}

/** The name of what went along with the words of a prompt. */
const asideName = (part: UserPart): string | undefined =>
  part.type === "resource" && part.aside !== undefined ? part.uri.replace(/^file:\/\//, "") : undefined;

function turnStart({ turnId, prompt }: EventOf<"turn.start">): Bodies {
  const images = prompt.parts.filter(({ type }) => type === "image").length;
  const { id: prompt_id, from } = prompt;
  const text = promptText(prompt.parts);
  const attached = prompt.parts.flatMap((part) => asideName(part) ?? []);
  const beside = attached.length === 0 ? {} : { attached };
  const payload = { turn_id: turnId, prompt_id, text, images, ...beside, from: { ...from } };
  return [{ type: "message.start", payload }, ...THINKING_AGAIN];
}

function retry({ attempt, error, until, at }: EventOf<"model.retry">): Bodies {
  const wait = Math.max(0, Math.ceil((until - at) / 1000));
  // Lines are cut at their end: what happens next stands first.
  const text = `Trying again in ${wait} s (attempt ${attempt + 1}). ${error.message}`;
  return [{ type: "status.update", payload: { kind: "lifecycle", text, until: seconds(until) } }];
}

function replyComplete(event: EventOf<"reply.complete">, reading: Reading): Bodies {
  const { gateway, session } = reading;
  const spoken = event.segments.map((segment) => (segment.kind === "text" ? segment.text : "")).join("");
  const text = spoken.trim().slice(0, PREVIEW).toWellFormed();
  const available: Bodies =
    event.calls.length === 0 || text === "" ? [] : [{ type: "reasoning.available", payload: { text } }];
  const usage = encodeSessionUsage(session.state, modelOf(gateway, session.state).model);
  return [THOUGHT, ...unlessOff(reading, available), { type: "session.usage", payload: { usage } }];
}

function messageComplete(event: EventOf<"message.complete">, { gateway, session }: Reading): Bodies {
  const { turnId, text, status, finish, error, reason, stoppedBy } = event;
  const { model } = modelOf(gateway, session.state);
  const usage = { ...encodeUsage(event.usage, model?.name ?? ""), ...encodeContext(session.state, model) };
  const short = defined({ warning: cutAnswer(finish), reason, stopped_by: stoppedBy });
  const payload = { turn_id: turnId, text, status, usage, ...short };
  const complete: EventBody = { type: "message.complete", payload };
  // A model call that broke off before it said anything has no reply that ends it.
  if (error === undefined) return status === "complete" ? [complete] : [THOUGHT, complete];
  const { code, message, details } = error;
  const told = { code, message, ...defined({ retry_after_ms: details?.retryAfterMs }) };
  return [
    THOUGHT,
    { type: "error", payload: { message, code } },
    { type: "message.complete", payload: { ...payload, error: told } },
  ];
}

function toolStart(event: EventOf<"tool.start">, reading: Reading): Bodies {
  reading.inputs.set(event.callId, event.input);
  const { diff } = reading.gateway.ports;
  const detail = toolDetail(reading);
  if (detail === "off") return NOTHING;
  return [{ type: "tool.start", payload: encodeToolStart(event, { diff, verbose: detail === "verbose" }) }];
}

function toolComplete(event: EventOf<"tool.complete">, reading: Reading): Bodies {
  const { gateway, inputs } = reading;
  const input = inputs.get(event.callId) ?? {};
  inputs.delete(event.callId);
  const detail = toolDetail(reading);
  const { diff } = gateway.ports;
  const payload = encodeToolComplete(event, { diff, verbose: detail === "verbose", input });
  const { todos } = payload;
  const quiet = detail === "off" && payload.inline_diff === undefined && todos === undefined;
  const bodies: EventBody[] = quiet ? [] : [{ type: "tool.complete", payload }];
  if (todos !== undefined) bodies.push({ type: "todo.updated", payload: { todos, revision: event.seq } });
  if (inputs.size === 0) bodies.push(...THINKING_AGAIN);
  return bodies;
}

function resolved(
  kind: QuestionKind,
  event: EventOf<`${QuestionKind}.resolved`>,
  { session }: Reading,
): Bodies {
  const { type, requestId, resolution } = event;
  const id = serverRequestId(session.id, requestId);
  const ended: Bodies = [
    { type: "request.cancel", payload: { id, method: kind, reason: cancelReason(event) } },
    { type, payload: resolvedPayload(event) },
  ];
  if (resolution.outcome !== "expired") return ended;
  return [{ type: `${kind}.expire`, payload: { request_id: requestId } }, ...ended];
}
