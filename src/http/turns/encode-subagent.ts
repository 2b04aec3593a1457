import type { SessionEvent } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";

type SubagentRow = Extract<SessionEvent, { type: "subagent.start" | "subagent.complete" }>;

/** A subagent's beginning or end, as readers of a run or a session are told of it. */
export function encodeSubagentEvent(event: SubagentRow): Readonly<Record<string, unknown>> {
  const { goal, index, count, subagentId, parentSubagentId, childId, depth } = event;
  return {
    goal,
    task_count: count,
    task_index: index,
    subagent_id: subagentId,
    child_session_id: childId,
    ...defined({ parent_id: parentSubagentId }),
    depth,
    ...(event.type === "subagent.start"
      ? { preview: goal, model: event.model, tool_count: 0 }
      : encodeEnd(event)),
  };
}

function encodeEnd(
  event: Extract<SubagentRow, { type: "subagent.complete" }>,
): Readonly<Record<string, unknown>> {
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
