import type { PromptResponse } from "@agentclientprotocol/sdk/unstable";
import { failureText } from "../projection/failure-text.ts";
import { stopReasonOf, usageOf } from "../projection/turn-end.ts";
import type { PromptEnd } from "../session/pending-prompts.ts";
import { type AuthMethods, requestError } from "../connection/request-error.ts";

/**
 * The answer to a prompt whose turn is over.
 *
 * @throws RequestError for a turn that failed: clients show that, and would take any other answer for a good end
 */
export function promptAnswer(end: PromptEnd, authMethods: AuthMethods): PromptResponse {
  if (end.outcome === "command") return { stopReason: "end_turn" };
  if (end.outcome === "dropped") return { stopReason: "cancelled" };
  const stopReason = stopReasonOf(end);
  if (stopReason !== "error") return { stopReason, ...usageOf(end.usage) };
  const error = end.error ?? { code: "interrupted", message: failureText(end) ?? "The turn ended." };
  throw requestError(error, { authMethods });
}
