import { type ApprovalRequest, textPart } from "../../core/index.ts";
import { boundedInput } from "./bounded-input.ts";
import type { ProjectedCall } from "./conversation-update.ts";

/**
 * The call of a subagent that somebody must allow, as the client is shown it. Its own call is in another session; here it
 * is one with the question's id, from the asking to the answer.
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
