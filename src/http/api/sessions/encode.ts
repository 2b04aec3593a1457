import {
  type Host,
  interruptionOf,
  modeOf,
  type Services,
  type SessionRecord,
  statusOf,
} from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import { runtimeOf } from "../../turns/model-choice.ts";

const PREVIEW = 60;

const seconds = (ms: number): number => ms / 1000;

/**
 * A session as clients get it; its prompt and its settings themselves never leave. Keys without a value are left out,
 * but for the time of its end, which public clients expect.
 */
export function encodeSession(
  { id, state, owner, damaged }: SessionRecord,
  { services, root }: { readonly services: Services; readonly root: string },
) {
  const { usage, counts, settings } = state;
  return {
    id,
    source: state.source,
    model: runtimeOf(services.models(), settings).model,
    mode: modeOf(settings, services.policy().approvals),
    ...defined({ persona: settings.persona }),
    ...defined({ title: state.title || undefined }),
    started_at: seconds(state.createdAt),
    ended_at: state.endedAt === undefined ? null : seconds(state.endedAt),
    ...defined({ end_reason: state.endReason }),
    message_count: counts.messages,
    tool_call_count: counts.toolCalls,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    ...defined({ estimated_cost_usd: usage.cost }),
    api_call_count: usage.calls,
    ...defined({ parent_session_id: state.parentId }),
    last_active: seconds(state.activeAt),
    preview: state.preview.slice(0, PREVIEW).toWellFormed(),
    status: statusOf(state, owner).status,
    ...defined({ interrupted: interruptionOf(state) }),
    hidden: state.hidden,
    damaged,
    has_system_prompt: settings.instructions !== undefined,
    has_model_config: settings.model !== undefined || settings.provider !== undefined,
    _lineage_root_id: root,
  };
}

/** Generations that are looked through; a cycle cannot be made, but a damaged store could hold one. */
const MOST_GENERATIONS = 1000;

/**
 * Makes a finder of the first ancestor of sessions: of a branch the session that was branched first, of a subagent's
 * session the person's. An ancestor that was deleted still names its descendants' lineage.
 */
export function lineageRoots(host: Host): (session: SessionRecord) => Promise<string> {
  /** The parents that were looked up; sessions of one list share most of them. */
  const parents = new Map<string, string | undefined>();
  return async ({ id, state }) => {
    let root = id;
    let parent = state.parentId;
    for (let look = 0; parent !== undefined && look < MOST_GENERATIONS; look += 1) {
      root = parent;
      if (!parents.has(root)) parents.set(root, (await host.record(root))?.state.parentId);
      parent = parents.get(root);
    }
    return root;
  };
}
