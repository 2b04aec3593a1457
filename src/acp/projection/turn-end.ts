import { NO_USAGE, type Usage } from "../../core/index.ts";
import type { TurnEnd, StopReason } from "./conversation-update.ts";

export function stopReasonOf({
  outcome,
  finish,
  error,
}: Pick<TurnEnd, "outcome" | "finish" | "error">): StopReason {
  switch (outcome) {
    case "completed":
      if (finish === "length") return "max_tokens";
      return finish === "refusal" ? "refusal" : "end_turn";
    case "cancelled":
      return "cancelled";
    case "interrupted":
    case "failed": {
      // The client was told in words how to go on.
      if (error?.code === "budget_exceeded") return "max_tokens";
      const isLimit = error?.code === "limit_exceeded" && error.details?.subject === "limits.iterations";
      return isLimit ? "max_turn_requests" : "error";
    }
  }
}

/** Tokens of a turn as both versions write them; nothing for a turn that asked no model. */
export const usageOf = (usage: Usage) => (usage.calls === NO_USAGE.calls ? {} : { usage: wireUsage(usage) });

const wireUsage = ({ input, output, reasoning, cacheRead, cacheWrite }: Usage) => ({
  totalTokens: input + output,
  inputTokens: input,
  outputTokens: output,
  thoughtTokens: reasoning,
  cachedReadTokens: cacheRead,
  cachedWriteTokens: cacheWrite,
});
