import { type ApprovalRequest, textPart } from "../../core/index.ts";
import { boundedInput } from "./bounded-input.ts";
import type { ProjectedCall } from "./conversation-update.ts";

/**
 * A subagent's call that needs an approval, as the client sees it. The call itself is in another session. In this one a
 * call with the question's id stands for it, from the question to the answer.
 */
export function subagentCall({
  requestId,
  toolName,
  command,
  description,
  content,
  locations = [],
}: ApprovalRequest): ProjectedCall {
  return {
    callId: requestId,
    title: command,
    name: toolName,
    kind: "other",
    asks: true,
    input: boundedInput({ command }),
    content: [...(content ?? [textPart(command)]), textPart(description)],
    locations,
  };
}
