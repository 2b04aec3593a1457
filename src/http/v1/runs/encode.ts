import { contentText, segmentText, type SessionEvent } from "../../../core/index.ts";
import { type SseMessage, encodeSse } from "../../server/encode-sse.ts";
import type { TurnAnswer } from "../../turns/turn-answer.ts";
import { encodeTokens } from "../../turns/answer-usage.ts";
import { encodeApprovalRequest } from "../../turns/encode-approval.ts";
import { encodeSubagentEvent } from "../../turns/encode-subagent.ts";
import type { Run, RunState, RunStatus } from "../../turns/runs.ts";

/** A run for `GET /v1/runs/{run_id}`. */
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
    ...(answer.turnId === undefined ? {} : { turn_id: answer.turnId }),
    event_id: answer.seq,
    ...(approval === undefined ? {} : { approval: encodeApprovalRequest(approval) }),
    ...(answer.outcome === undefined ? {} : encodeEnd(answer, state)),
  };
}

/** How a run ended, for its status and for its last event. */
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
  switch (state) {
    case "interrupted":
      return "The gateway restarted before this run settled.";
    case "cancelled":
      return "The run was stopped.";
    default:
      return "The model's output was cut: it reached its limit.";
  }
}

/** Frames that were made already. Readers that keep up get the same events: each is written once for all of them. */
export type RunFrames = WeakMap<SessionEvent, string | Promise<string>>;

export interface RunEncoding {
  /** Reads the whole turn, for its last event. */
  readonly status: () => Promise<RunStatus>;
  readonly reasoning: boolean;
  readonly frames: RunFrames;
}

/** Makes the frames of a run's event stream of the events of its turn. */
export class RunEncoder {
  readonly #run: Run;
  readonly #encoding: RunEncoding;
  #turnId: string | undefined;

  constructor(run: Run, encoding: RunEncoding) {
    this.#run = run;
    this.#encoding = encoding;
  }

  /** The turn of the run has begun. */
  begun(turnId: string): void {
    this.#turnId = turnId;
  }

  event(event: SessionEvent): string | Promise<string> {
    const { frames } = this.#encoding;
    const known = frames.get(event);
    if (known !== undefined) return known;
    const isLast = event.type === "turn.end" || event.type === "prompt.dropped";
    const made = isLast
      ? this.#end().then((shown) => this.#frame(event, shown))
      : this.#frame(event, this.#show(event));
    frames.set(event, made);
    return made;
  }

  #show(event: SessionEvent): Shown | undefined {
    return event.type === "reasoning.delta" && !this.#encoding.reasoning ? undefined : encodeEvent(event);
  }

  #frame(event: SessionEvent, shown: Shown | undefined): string {
    if (shown === undefined) return "";
    const { event: name, ...fields } = shown;
    const data = {
      event: name,
      run_id: this.#run.runId,
      timestamp: event.at / 1000,
      event_id: event.seq,
      ...(this.#turnId === undefined ? {} : { turn_id: this.#turnId }),
      ...fields,
    };
    const frame: SseMessage = { event: name, id: event.seq, data: JSON.stringify(data) };
    return encodeSse(frame);
  }

  async #end(): Promise<Shown> {
    const { answer, state } = await this.#encoding.status();
    return { event: `run.${state}`, ...encodeEnd(answer, state) };
  }
}

type Shown = { readonly event: string } & Readonly<Record<string, unknown>>;

const PREVIEW = 500;

/** What a client of a run is shown of an event; most of what a session keeps is not for it. */
function encodeEvent(event: SessionEvent): Shown | undefined {
  switch (event.type) {
    case "turn.start":
      return { event: "run.started" };
    case "message.delta":
      return { event: "message.delta", delta: event.text };
    case "reasoning.delta":
      return { event: "reasoning.delta", delta: event.text };
    case "reply.complete": {
      if (!event.segments.some(({ kind }) => kind === "reasoning")) return undefined;
      return { event: "reasoning.available", text: segmentText(event.segments, "reasoning") };
    }
    case "tool.start":
      return { event: "tool.started", tool: event.name, preview: event.label, call_id: event.callId };
    case "tool.complete": {
      const text = contentText(event.content);
      return {
        event: "tool.completed",
        tool: event.name,
        call_id: event.callId,
        duration: Math.round(event.durationMs) / 1000,
        error: event.outcome !== "ok",
        preview: text.slice(0, PREVIEW).toWellFormed(),
      };
    }
    case "approval.request":
      return { event: "approval.request", ...encodeApprovalRequest(event) };
    case "approval.resolved": {
      const { requestId, resolution } = event;
      const answered = resolution.outcome === "answered";
      return {
        event: "approval.responded",
        request_id: requestId,
        choice: answered ? (resolution.choice ?? "deny") : "deny",
        resolved: 1,
        outcome: resolution.outcome,
      };
    }
    case "subagent.start":
    case "subagent.complete":
      return { event: event.type, ...encodeSubagentEvent(event) };
    case "steer.accepted":
      return { event: "run.steered", accepted: true };
    default:
      return undefined;
  }
}
