import { contentText, segmentText, type SessionEvent } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import { HttpError } from "../../server/http-error.ts";
import { encodeSse, sseComment } from "../../server/encode-sse.ts";
import { type ByType, callByType } from "../../../shared/union/by-type.ts";
import { type EventOf, forTypes, QUIET_EVENTS } from "../../turns/event-encoders.ts";
import type { TurnEncoder } from "../../turns/stream-turn.ts";
import { encodeTokens, type TurnAnswer } from "../../turns/turn-answer.ts";
import { encodeApprovalRequest } from "../../turns/encode-approval.ts";
import type { Run, Runs, RunState, RunStatus } from "../../turns/runs.ts";

/** Encodes a run for `GET /v1/runs/{run_id}`. */
export function encodeRun({ run, state, answer, approval }: RunStatus) {
  const updated = answer.endedAt ?? answer.startedAt ?? run.createdAt;
  return {
    object: "agent.run",
    run_id: run.runId,
    status: state,
    created_at: run.createdAt / 1000,
    updated_at: updated / 1000,
    session_id: run.session,
    model: run.model,
    ...defined({ turn_id: answer.turnId }),
    event_id: answer.seq,
    ...defined({ approval: approval && encodeApprovalRequest(approval) }),
    ...(answer.outcome === undefined ? {} : encodeEnd(answer, state)),
  };
}

/** Encodes the end of a run, for its status and for its last event. */
function encodeEnd(answer: TurnAnswer, state: RunState) {
  const completed = state === "completed";
  return {
    last_event: `run.${state}`,
    output: answer.text,
    usage: encodeTokens(answer.usage),
    completed,
    partial: !completed && answer.text !== "",
    interrupted: state === "cancelled" || state === "interrupted",
    ...(completed ? {} : { error: whyNot(answer, state) }),
  };
}

function whyNot({ error }: TurnAnswer, state: RunState): string {
  if (error !== undefined) return error.message;
  if (state === "interrupted") return "The gateway restarted before this run settled.";
  return state === "cancelled" ? "The run was stopped." : "The model's output was cut: it reached its limit.";
}

/** The options of an encoder of a run. */
export interface RunEncoding {
  /** Reads the whole turn, for its last event. */
  readonly status: () => Promise<RunStatus>;
  readonly reasoning: boolean;
  readonly frames: Runs["frames"];
}

/** The encoder of the event stream of a run. */
export class RunEncoder implements TurnEncoder {
  readonly #run: Run;
  readonly #encoding: RunEncoding;
  #turnId: string | undefined;
  #last: { readonly seq: number; readonly at: number };

  constructor(run: Run, encoding: RunEncoding) {
    this.#run = run;
    this.#encoding = encoding;
    this.#last = { seq: run.ref.after, at: run.createdAt };
  }

  begun(turnId: string): void {
    this.#turnId = turnId;
  }

  event(event: SessionEvent): string | Promise<string> {
    this.#last = event;
    const { frames } = this.#encoding;
    // Several prompts are taken back in one event, each of a run of its own.
    const known = event.type === "prompt.dropped" ? undefined : frames.get(event);
    if (known !== undefined) return known;
    const body = callByType(ENCODERS, event, this.#encoding);
    const frame =
      body instanceof Promise ? body.then((late) => this.#frame(event, late)) : this.#frame(event, body);
    frames.set(event, frame);
    return frame;
  }

  end(): string {
    return sseComment("stream closed");
  }

  failed(thrown: unknown): string {
    if (!isGone(thrown)) return sseComment("the events could not be read; come back");
    return this.#frame(this.#last, DELETED) + this.end();
  }

  #frame({ seq, at }: Pick<SessionEvent, "seq" | "at">, body: RunEventBody | undefined): string {
    if (body === undefined) return "";
    const { event, ...fields } = body;
    const data = {
      event,
      run_id: this.#run.runId,
      timestamp: at / 1000,
      event_id: seq,
      ...defined({ turn_id: this.#turnId }),
      ...fields,
    };
    return encodeSse({ event, id: seq, data: JSON.stringify(data) });
  }
}

type RunEventBody = { readonly event: string } & Readonly<Record<string, unknown>>;

/** The end of a run whose session was deleted: what it said is gone with it. */
const DELETED: RunEventBody = {
  event: "run.interrupted",
  completed: false,
  interrupted: true,
  error: "The session of this run was deleted.",
};

/** Whether reading failed because there is no such session any more. */
const isGone = (thrown: unknown): boolean =>
  thrown instanceof HttpError
    ? thrown.details.code === "run_not_found"
    : toHostError(thrown).code === "session_not_found";

const PREVIEW = 500;

const encodeLast = async (_event: SessionEvent, { status }: RunEncoding): Promise<RunEventBody> => {
  const { answer, state } = await status();
  return { event: `run.${state}`, ...encodeEnd(answer, state) };
};

function encodeSubagent(event: EventOf<"subagent.start" | "subagent.complete">): RunEventBody {
  const { type, goal, index, count, subagentId, parentSubagentId, childId, depth } = event;
  return {
    event: type,
    goal,
    task_count: count,
    task_index: index,
    subagent_id: subagentId,
    child_session_id: childId,
    ...defined({ parent_id: parentSubagentId }),
    depth,
    ...(type === "subagent.start"
      ? { preview: goal, model: event.model, tool_count: 0 }
      : encodeSubagentEnd(event)),
  };
}

function encodeSubagentEnd(event: EventOf<"subagent.complete">): Readonly<Record<string, unknown>> {
  const { usage, outputTail } = event;
  return {
    preview: event.summary,
    status: event.status,
    summary: event.summary,
    duration_seconds: event.durationMs / 1000,
    tool_count: event.toolCalls,
    input_tokens: usage.input,
    output_tokens: usage.output,
    reasoning_tokens: usage.reasoning,
    api_calls: usage.calls,
    ...defined({ cost_usd: usage.cost }),
    files_read: event.filesRead,
    files_written: event.filesWritten,
    output_tail: outputTail.map(({ tool, preview, isError }) => ({ tool, preview, is_error: isError })),
  };
}

/** The events of a session as clients of a run get them; most of them are not for clients. */
const ENCODERS: ByType<SessionEvent, RunEncoding, RunEventBody | undefined | Promise<RunEventBody>> = {
  ...forTypes(QUIET_EVENTS, () => undefined),
  ...forTypes(["turn.end", "prompt.dropped"], encodeLast),
  "turn.start": () => ({ event: "run.started" }),
  "message.delta": ({ text }) => ({ event: "message.delta", delta: text }),
  "reasoning.delta": ({ text }, { reasoning }) =>
    reasoning ? { event: "reasoning.delta", delta: text } : undefined,
  "reply.complete": ({ segments }) =>
    segments.some(({ kind }) => kind === "reasoning")
      ? { event: "reasoning.available", text: segmentText(segments, "reasoning") }
      : undefined,
  "tool.start": ({ name, label, callId }) => ({
    event: "tool.started",
    tool: name,
    preview: label,
    call_id: callId,
  }),
  "tool.complete": ({ name, callId, durationMs, outcome, content }) => ({
    event: "tool.completed",
    tool: name,
    call_id: callId,
    duration: Math.round(durationMs) / 1000,
    error: outcome !== "ok",
    preview: contentText(content).slice(0, PREVIEW).toWellFormed(),
  }),
  "approval.request": (event) => ({ event: "approval.request", ...encodeApprovalRequest(event) }),
  "approval.resolved": ({ requestId, resolution }) => ({
    event: "approval.responded",
    request_id: requestId,
    choice: resolution.outcome === "answered" ? (resolution.choice ?? "deny") : "deny",
    resolved: 1,
    outcome: resolution.outcome,
  }),
  "subagent.start": encodeSubagent,
  "subagent.complete": encodeSubagent,
  "steer.accepted": () => ({ event: "run.steered", accepted: true }),
};
