import type { ActiveSubagent, SessionEvent } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { EventBody, Payload } from "../protocol/events.ts";
import type { ActiveSubagentWire } from "../protocol/processes.ts";
import { seconds } from "./time.ts";

type SubagentEvent = Extract<SessionEvent, { type: `subagent.${string}` }>;

/** Characters of `text` when a subagent is done. */
const LAST_WORDS = 160;

/** Encodes an event of a subagent. */
export function subagentEvent(event: SubagentEvent): EventBody {
  return { type: event.type, payload: { ...encodeRef(event), ...encodeDetails(event) } };
}

/** A subagent that runs. */
export function encodeActive(active: ActiveSubagent): ActiveSubagentWire {
  const { subagentId, parentSubagentId, depth, goal, model, startedAt, status, toolCalls, lastTool } = active;
  return {
    subagent_id: subagentId,
    parent_id: parentSubagentId ?? null,
    depth,
    goal,
    model,
    started_at: seconds(startedAt),
    status,
    tool_count: toolCalls,
    ...defined({ last_tool: lastTool }),
    session_id: active.parentSessionId,
    child_session_id: active.sessionId,
  };
}

function encodeRef(event: SubagentEvent): Payload<"subagent.start"> {
  const { goal, index, count, subagentId, parentSubagentId, depth } = event;
  return {
    goal,
    task_index: index,
    task_count: count,
    subagent_id: subagentId,
    ...defined({ parent_id: parentSubagentId }),
    depth,
    ...("childId" in event ? { child_session_id: event.childId } : {}),
  };
}

function encodeDetails(event: SubagentEvent): Partial<Payload<"subagent.start">> {
  switch (event.type) {
    case "subagent.spawn_requested":
      return { text: event.goal };
    case "subagent.start":
      return { text: event.goal, model: event.model, toolsets: [...event.toolsets], tool_count: 0 };
    case "subagent.thinking":
    case "subagent.progress":
      return { text: event.text, tool_count: event.toolCalls };
    case "subagent.tool": {
      const { tool, text, toolCalls } = event;
      return { text, tool_name: tool, tool_preview: text, tool_count: toolCalls };
    }
    case "subagent.complete":
      return encodeEnd(event);
  }
}

function encodeEnd(
  event: Extract<SubagentEvent, { type: "subagent.complete" }>,
): Partial<Payload<"subagent.complete">> {
  const { status, summary, durationMs, toolCalls, usage, filesRead, filesWritten, outputTail } = event;
  return {
    status,
    summary,
    text: summary.slice(0, LAST_WORDS).toWellFormed(),
    duration_seconds: durationMs / 1000,
    tool_count: toolCalls,
    input_tokens: usage.input,
    output_tokens: usage.output,
    reasoning_tokens: usage.reasoning,
    api_calls: usage.calls,
    ...defined({ cost_usd: usage.cost }),
    files_read: [...filesRead],
    files_written: [...filesWritten],
    output_tail: outputTail.map(({ tool, preview, isError }) => ({ tool, preview, is_error: isError })),
  };
}
