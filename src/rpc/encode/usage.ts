import type { Model, SessionState, Usage } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { UsageWire } from "../protocol/shapes.ts";

/** Tokens in the gateway's words. */
export function encodeUsage(usage: Usage, model: string): UsageWire {
  const { calls, input, output, reasoning, cacheRead, cacheWrite, cost } = usage;
  return {
    model,
    calls,
    input,
    output,
    reasoning,
    prompt: input,
    completion: output,
    total: input + output,
    cache_read: cacheRead,
    cache_write: cacheWrite,
    ...defined({ cost_usd: cost }),
  };
}

/** Tokens of a session, with how full its context is once that is known. */
export function encodeSessionUsage(
  state: SessionState,
  model: Pick<Model, "name" | "contextLength"> | undefined,
): UsageWire {
  return {
    ...encodeUsage(state.usage, model?.name ?? ""),
    compressions: state.counts.compressions,
    active_subagents: state.subagents.length,
    ...encodeContext(state, model),
  };
}

/** How full the context of a session is: three keys, or none as long as that is not known. */
export function encodeContext(
  { contextTokens }: Pick<SessionState, "contextTokens">,
  model: Pick<Model, "contextLength"> | undefined,
): Pick<UsageWire, "context_used" | "context_max" | "context_percent"> {
  if (contextTokens === 0 || model === undefined) return {};
  const share = Math.round((100 * contextTokens) / model.contextLength);
  return {
    context_used: contextTokens,
    context_max: model.contextLength,
    context_percent: Math.min(100, share),
  };
}
