import { type Models, type SessionRecord, statusOf } from "../../../core/index.ts";
import { runtimeOf } from "../../turns/model-choice.ts";

const PREVIEW = 60;

const seconds = (ms: number): number => ms / 1000;

/** A session as clients get it; its prompt and its settings themselves never leave. */
export function encodeSession({ id, state, owner, damaged }: SessionRecord, models: Models) {
  const { usage, counts, settings } = state;
  return {
    id,
    source: state.source,
    user_id: null,
    model: runtimeOf(models, settings).model,
    title: state.title === "" ? null : state.title,
    started_at: seconds(state.createdAt),
    ended_at: state.endedAt === undefined ? null : seconds(state.endedAt),
    end_reason: state.endReason ?? null,
    message_count: counts.messages,
    tool_call_count: counts.toolCalls,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    estimated_cost_usd: usage.cost ?? null,
    actual_cost_usd: null,
    api_call_count: usage.calls,
    parent_session_id: state.parentId ?? null,
    last_active: seconds(state.activeAt),
    preview: state.preview.slice(0, PREVIEW).toWellFormed(),
    status: statusOf(state, owner).status,
    hidden: state.hidden,
    damaged,
    has_system_prompt: settings.instructions !== undefined,
    has_model_config: settings.model !== undefined || settings.provider !== undefined,
    _lineage_root_id: id,
  };
}
