import type { PromptResponse, StopReason, Usage as WireUsage } from "@agentclientprotocol/sdk/unstable";
import { NO_USAGE, type Usage } from "../../core/index.ts";
import { failureText } from "../encode/failure-text.ts";
import type { PromptEnd } from "../session/prompt-desk.ts";
import type { ShownEnd } from "../shown/shown.ts";
import { requestError } from "./request-error.ts";

/**
 * The answer to a prompt whose turn is over.
 *
 * @throws RequestError for a turn that failed: clients show that, and would take any other answer for a good end
 */
export function promptAnswer(end: PromptEnd): PromptResponse {
  switch (end.outcome) {
    case "command":
      return { stopReason: "end_turn" };
    case "dropped":
      return { stopReason: "cancelled" };
    case "completed":
      return answer(end, stopReasonOf(end.finish));
    case "cancelled":
      return answer(end, "cancelled");
    case "interrupted":
    case "failed": {
      const { error } = end;
      if (error?.code === "limit_exceeded" && error.details?.subject === "limits.iterations")
        return answer(end, "max_turn_requests");
      throw requestError(error ?? { code: "interrupted", message: failureText(end) ?? "The turn ended." });
    }
  }
}

function stopReasonOf(finish: string | undefined): StopReason {
  if (finish === "length") return "max_tokens";
  return finish === "refusal" ? "refusal" : "end_turn";
}

const answer = ({ usage }: ShownEnd, stopReason: StopReason): PromptResponse =>
  usage.calls === NO_USAGE.calls ? { stopReason } : { stopReason, usage: wireUsage(usage) };

const wireUsage = ({ input, output, reasoning, cacheRead, cacheWrite }: Usage): WireUsage => ({
  totalTokens: input + output,
  inputTokens: input,
  outputTokens: output,
  thoughtTokens: reasoning,
  cachedReadTokens: cacheRead,
  cachedWriteTokens: cacheWrite,
});
