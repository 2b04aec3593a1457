import { NO_USAGE, type TurnOutcome, type Usage } from "../../core/index.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";

/** The end of a turn. */
export interface TurnEnd {
  readonly turnId: string;
  readonly promptId: string;
  readonly outcome: TurnOutcome;
  readonly usage: Usage;
  /** How the last reply ended. */
  readonly finish?: string;
  readonly error?: ErrorRecord;
  /** Why it was cut short, in a sentence for people. */
  readonly reason?: string;
}

/** The reason why the work on a prompt stopped. Version 1 has no `error`: it answers with an error instead. */
export type PromptStopReason =
  | "end_turn"
  | "max_tokens"
  | "max_turn_requests"
  | "refusal"
  | "cancelled"
  | "error";

/** Tells why a turn stopped, in the protocol's words. */
export function stopReasonOf({
  outcome,
  finish,
  error,
}: Pick<TurnEnd, "outcome" | "finish" | "error">): PromptStopReason {
  switch (outcome) {
    case "completed":
      if (finish === "length") return "max_tokens";
      return finish === "refusal" ? "refusal" : "end_turn";
    case "cancelled":
      return "cancelled";
    case "interrupted":
    case "failed": {
      // A message has told the client how to go on.
      if (error?.code === "budget_exceeded") return "max_tokens";
      const isLimit = error?.code === "limit_exceeded" && error.details?.subject === "limits.iterations";
      return isLimit ? "max_turn_requests" : "error";
    }
  }
}

/** Says how a turn failed; `undefined` for a turn that completed or was stopped on purpose. */
export function failureText({ outcome, error, reason }: TurnEnd): string | undefined {
  switch (outcome) {
    case "completed":
    case "cancelled":
      return undefined;
    case "failed":
      return `The turn failed: ${error?.message ?? "the reason is not known"}`;
    case "interrupted":
      return `The turn was interrupted. ${reason ?? "The process that ran it ended."}`;
  }
}

/** The error of a turn that failed; an interrupted turn may have none of its own. */
export const turnError = (end: TurnEnd): ErrorRecord =>
  end.error ?? { code: "interrupted", message: failureText(end) ?? "The turn ended." };

/** The tokens of a turn as the protocol writes them; an empty object for a turn that called no model. */
export function usageOf({ calls, input, output, reasoning, cacheRead, cacheWrite }: Usage) {
  if (calls === NO_USAGE.calls) return {};
  return {
    usage: {
      totalTokens: input + output,
      inputTokens: input,
      outputTokens: output,
      thoughtTokens: reasoning,
      cachedReadTokens: cacheRead,
      cachedWriteTokens: cacheWrite,
    },
  };
}
