import type { Origin, TimeSpan, TurnTimeline } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { visible } from "../../shared/text/visible.ts";
import type { SpanWire, TurnTimelineWire } from "../protocol/timeline.ts";
import { seconds } from "./time.ts";
import { encodeUsage } from "./usage.ts";

/** Characters of a prompt beside its turn. */
const TEXT_CHARACTERS = 300;

/** A turn's time line in the gateway's words. */
export function encodeTurnTimeline(turn: TurnTimeline): TurnTimelineWire {
  const { text, spans, segments, totals } = turn;
  const model = spans.findLast(({ kind }) => kind === "model");
  return {
    turn_id: turn.turnId,
    prompt_id: turn.promptId,
    row_id: turn.seq,
    text: text.length <= TEXT_CHARACTERS ? text : `${text.slice(0, TEXT_CHARACTERS).toWellFormed()}…`,
    from: encodeOrigin(turn.from),
    started_at: seconds(turn.startedAt),
    ...defined({
      end_row_id: turn.to,
      ended_at: turn.endedAt && seconds(turn.endedAt),
      queued_at: turn.queuedAt && seconds(turn.queuedAt),
      outcome: turn.outcome,
      reason: turn.reason,
      error: turn.error?.message,
      stopped_by: turn.stoppedBy,
    }),
    taken_back: turn.takenBack,
    usage: encodeUsage(turn.usage, (model?.kind === "model" ? model.model : undefined) ?? ""),
    spans: spans.map(encodeSpan),
    segments: segments.map(({ kind, start, end }) => ({ kind, start: seconds(start), end: seconds(end) })),
    totals_s: {
      crash: seconds(totals.crash),
      compaction: seconds(totals.compaction),
      model: seconds(totals.model),
      tool: seconds(totals.tool),
      subagent: seconds(totals.subagent),
      waiting: seconds(totals.waiting),
      retry: seconds(totals.retry),
      host: seconds(totals.host),
    },
  };
}

const encodeOrigin = ({ surface, client }: Origin) => ({ surface, ...defined({ client }) });

function encodeSpan(span: TimeSpan): SpanWire {
  const stretch = { start: seconds(span.start), ...defined({ end: span.end && seconds(span.end) }) };
  switch (span.kind) {
    case "model": {
      const { kind, provider, model, firstAt, finish, failure, usage } = span;
      const told = {
        first_at: firstAt && seconds(firstAt),
        usage: usage && encodeUsage(usage, model ?? ""),
      };
      return { kind, ...stretch, ...defined({ provider, model, finish, failure, ...told }) };
    }
    case "retry":
      return { kind: span.kind, ...stretch, attempt: span.attempt, failure: span.failure };
    case "tool": {
      const { kind, callId, name, label, outcome } = span;
      return { kind, ...stretch, tool_id: callId, name, label, ...defined({ outcome }) };
    }
    case "waiting": {
      const { kind, requestId, callId, question, about, asked, childId, outcome, choice, by } = span;
      return {
        kind,
        ...stretch,
        request_id: requestId,
        tool_id: callId,
        question,
        about: visible(about),
        asked: encodeOrigin(asked),
        ...defined({ child_session_id: childId, outcome, choice, by: by && encodeOrigin(by) }),
      };
    }
    case "compaction": {
      const { kind, usage, tokensBefore, tokensAfter, failure } = span;
      const told = { tokens_before: tokensBefore, tokens_after: tokensAfter, failure };
      return { kind, ...stretch, usage: encodeUsage(usage, ""), ...defined(told) };
    }
    case "subagent": {
      const { kind, subagentId, callId, childId, goal, model, depth, status, usage } = span;
      return {
        kind,
        ...stretch,
        subagent_id: subagentId,
        tool_id: callId,
        child_session_id: childId,
        goal,
        model,
        depth,
        ...defined({ status, usage: usage && encodeUsage(usage, model) }),
      };
    }
    case "crash":
      return { kind: span.kind, ...stretch, during: span.during };
  }
}
