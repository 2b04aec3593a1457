import {
  segmentText,
  promptText,
  type Session,
  type SessionEvent,
  type TurnState,
} from "../../core/index.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { displaySettings } from "../gateway/display.ts";
import type { EventBody } from "../protocol/events.ts";
import { callInput } from "./call-input.ts";
import {
  cancelReason,
  approvalPayload,
  clarifyPayload,
  resolvedPayload,
  secretPayload,
  sudoPayload,
  serverRequestId,
} from "./question.ts";
import { modelOf, sessionInfo } from "./session-info.ts";
import { encodeSessionUsage, encodeUsage } from "./usage.ts";
import { subagentEvent } from "./subagent.ts";
import { encodeToolComplete, encodeToolStart } from "./tool.ts";
import { seconds } from "./time.ts";

type EventOf<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;
type Bodies = readonly EventBody[];
type Input = Readonly<Record<string, unknown>>;

/** Characters of a reply that `reasoning.available` shows. */
const PREVIEW = 500;
const THINKING = "thinking…";

/** Says a session's events in the gateway's words, for one reader, in the order of the log. */
export class EventEncoder {
  readonly #gateway: GatewayContext;
  readonly #session: Session;
  /** What is known of the calls that run. */
  readonly #inputs = new Map<string, Input>();

  /** @param turn - the turn in which the reading begins, if it is in one */
  constructor(gateway: GatewayContext, session: Session, turn: TurnState | undefined) {
    this.#gateway = gateway;
    this.#session = session;
    for (const { call, status } of turn?.calls ?? []) {
      if (status === "started") this.#inputs.set(call.id, call.input);
    }
  }

  /** The events of the gateway that an event of the log stands for, in order; the last one is at its cursor. */
  encode(event: SessionEvent): Bodies | Promise<Bodies> {
    switch (event.type) {
      case "message.delta":
      case "reasoning.delta":
        return [{ type: event.type, payload: { text: event.text } }];
      case "tool.progress":
        return this.#unlessOff([
          { type: event.type, payload: { tool_id: event.callId, name: event.name, preview: event.preview } },
        ]);
      case "tool.generating":
        return this.#unlessOff([{ type: event.type, payload: { name: event.name } }]);
      case "subagent.spawn_requested":
      case "subagent.start":
      case "subagent.thinking":
      case "subagent.tool":
      case "subagent.progress":
      case "subagent.complete":
        return this.#unlessOff([subagentEvent(event)]);
      case "status.update":
        return [{ type: event.type, payload: { kind: event.kind, text: event.text } }];
      case "tool.start":
        return this.#toolStart(event);
      case "tool.complete":
        return this.#toolComplete(event);
      case "reply.complete":
        return this.#replyComplete(event);
      default:
        return this.#encodeRow(event);
    }
  }

  #encodeRow(event: Exclude<SessionEvent, { type: FrequentType }>): Bodies | Promise<Bodies> {
    const { id, state } = this.#session;
    switch (event.type) {
      case "session.start":
      case "session.branch":
      case "approval.pattern":
      case "history.given":
        return [];
      case "session.end":
      case "settings.set":
        return this.#info([]);
      case "title.set":
        return this.#info([{ type: "session.title", payload: { session_id: id, title: event.title } }]);
      case "prompt.queued": {
        const { id: prompt_id, parts, from } = event.prompt;
        return [{ type: event.type, payload: { prompt_id, text: promptText(parts), from: { ...from } } }];
      }
      case "prompt.dropped":
        return [{ type: event.type, payload: { prompt_ids: [...event.promptIds], reason: event.reason } }];
      case "prompt.held":
      case "prompt.confirmed":
        return [{ type: event.type, payload: { prompt_ids: [...event.promptIds] } }];
      case "notice":
        return [{ type: "status.update", payload: { kind: NOTICE_KINDS[event.level], text: event.text } }];
      case "history.undo":
        return this.#info([{ type: "history.changed", payload: { reason: "undo", turns: event.turns } }]);
      case "history.compress":
        return this.#info([
          { type: "history.changed", payload: { reason: "compress" } },
          { type: "status.update", payload: { kind: "status", text: "ready" } },
        ]);
      case "history.compress_failed": {
        const text = `The conversation was not compressed: ${event.reason}`;
        return [{ type: "status.update", payload: { kind: "warn", text } }];
      }
      case "background.start":
        return [{ type: event.type, payload: { task_id: event.taskId, text: event.text } }];
      case "background.complete": {
        const { taskId, text, outcome } = event;
        return [{ type: event.type, payload: { task_id: taskId, text, status: outcome } }];
      }
      default:
        return this.#encodeTurnRow(event, state.turn?.turnId);
    }
  }

  #encodeTurnRow(event: TurnRow, running: string | undefined): Bodies | Promise<Bodies> {
    switch (event.type) {
      case "turn.start":
        return turnStart(event);
      case "steer.accepted": {
        const { steerId, text, from } = event;
        return [{ type: event.type, payload: { steer_id: steerId, text, from: { ...from } } }];
      }
      case "steer.delivered":
        return [{ type: event.type, payload: { steer_ids: [...event.steerIds], text: event.text } }];
      case "model.retry":
        return retry(event);
      case "approval.request":
        return [{ type: event.type, payload: approvalPayload(event, this.#gateway.ports.diff) }];
      case "clarify.request":
        return [{ type: event.type, payload: clarifyPayload(event) }];
      case "sudo.request":
        return [{ type: event.type, payload: sudoPayload(event) }];
      case "secret.request":
        return [{ type: event.type, payload: secretPayload(event) }];
      case "approval.resolved":
      case "clarify.resolved":
      case "sudo.resolved":
      case "secret.resolved":
        return this.#resolved(event);
      case "message.complete":
        return this.#messageComplete(event);
      case "turn.end":
        // The next turn may run already: this is how the session was when this one ended.
        this.#inputs.clear();
        return this.#info([], running === undefined || running === event.turnId);
    }
  }

  /** A session's own info last, at the cursor of the event that changed it. */
  async #info(before: Bodies, idle = false): Promise<Bodies> {
    const info = await sessionInfo(this.#gateway, this.#session, idle ? { status: "idle" } : undefined);
    return [...before, { type: "session.info", payload: idle ? { ...info, running: false } : info }];
  }

  #toolStart(event: EventOf<"tool.start">): Bodies {
    this.#inputs.set(event.callId, event.input);
    const { diff } = this.#gateway.ports;
    return this.#unlessOff([
      { type: "tool.start", payload: encodeToolStart(event, { diff, verbose: this.#detail === "verbose" }) },
    ]);
  }

  async #toolComplete(event: EventOf<"tool.complete">): Promise<Bodies> {
    const known = this.#inputs.get(event.callId);
    this.#inputs.delete(event.callId);
    const input = known ?? (await callInput(this.#gateway.host.services.store, this.#session.id, event));
    const { diff } = this.#gateway.ports;
    const verbose = this.#detail === "verbose";
    const payload = encodeToolComplete(event, { diff, verbose, input });
    const quiet = this.#detail === "off" && payload.inline_diff === undefined && event.todos === undefined;
    const todos = event.todos?.map((todo) => ({ ...todo }));
    return [
      ...(quiet ? [] : [{ type: "tool.complete" as const, payload }]),
      ...(todos === undefined
        ? []
        : [{ type: "todo.updated" as const, payload: { todos, revision: event.seq } }]),
      ...(this.#inputs.size === 0 ? THINKING_AGAIN : []),
    ];
  }

  #replyComplete(event: EventOf<"reply.complete">): Bodies {
    const { state } = this.#session;
    const text = segmentText(event.segments, "text").trim().slice(0, PREVIEW).toWellFormed();
    const available: Bodies =
      event.calls.length === 0 || text === "" ? [] : [{ type: "reasoning.available", payload: { text } }];
    const usage = encodeSessionUsage(state, modelOf(this.#gateway, state).model);
    return [
      { type: "thinking.delta", payload: { text: "" } },
      ...this.#unlessOff(available),
      { type: "session.usage", payload: { usage } },
    ];
  }

  #resolved(event: EventOf<`${string}.resolved` & SessionEvent["type"]>): Bodies {
    const kind = KINDS[event.type];
    const id = serverRequestId(this.#session.id, event.requestId);
    const expired: Bodies =
      event.resolution.outcome === "expired"
        ? [{ type: `${kind}.expire`, payload: { request_id: event.requestId } }]
        : [];
    return [
      ...expired,
      { type: "request.cancel", payload: { id, method: kind, reason: cancelReason(event) } },
      { type: event.type, payload: resolvedPayload(event) },
    ];
  }

  #messageComplete(event: EventOf<"message.complete">): Bodies {
    const { turnId, text, status, usage, error } = event;
    const { model } = modelOf(this.#gateway, this.#session.state);
    const failure: Bodies =
      error === undefined ? [] : [{ type: "error", payload: { message: error.message, code: error.code } }];
    const wire = { turn_id: turnId, text, status, usage: encodeUsage(usage, model?.name ?? "") };
    const details = error?.details?.retryAfterMs;
    const record = error && {
      error: {
        code: error.code,
        message: error.message,
        ...(details === undefined ? {} : { retry_after_ms: details }),
      },
    };
    return [...failure, { type: "message.complete", payload: { ...wire, ...record } }];
  }

  get #detail(): ReturnType<typeof displaySettings>["toolDetail"] {
    return displaySettings(this.#gateway.ports.config.values()).toolDetail;
  }

  #unlessOff(bodies: Bodies): Bodies {
    return this.#detail === "off" ? [] : bodies;
  }
}

type FrequentType =
  | "message.delta"
  | "reasoning.delta"
  | "tool.progress"
  | "tool.generating"
  | "status.update"
  | `subagent.${string}`
  | "tool.start"
  | "tool.complete"
  | "reply.complete";

type TurnRow = Exclude<Extract<SessionEvent, { turnId: string }>, { type: FrequentType }>;

const THINKING_AGAIN: Bodies = [{ type: "thinking.delta", payload: { text: THINKING } }];

const NOTICE_KINDS = { info: "lifecycle", warn: "warn", error: "error" } as const;

const KINDS = {
  "approval.resolved": "approval",
  "clarify.resolved": "clarify",
  "sudo.resolved": "sudo",
  "secret.resolved": "secret",
} as const;

function turnStart({ turnId, prompt }: EventOf<"turn.start">): Bodies {
  const images = prompt.parts.filter(({ type }) => type === "image").length;
  const { id: prompt_id, from } = prompt;
  const text = promptText(prompt.parts);
  const payload = { turn_id: turnId, prompt_id, text, images, from: { ...from } };
  return [{ type: "message.start", payload }, ...THINKING_AGAIN];
}

function retry({ attempt, error, until, at }: EventOf<"model.retry">): Bodies {
  const wait = Math.max(0, Math.ceil((until - at) / 1000));
  const text = `${error.message} Trying again in ${wait} s (attempt ${attempt + 1}).`;
  return [{ type: "status.update", payload: { kind: "lifecycle", text, until: seconds(until) } }];
}
