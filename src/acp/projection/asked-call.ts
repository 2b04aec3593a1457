import { type ApprovalRequest, textPart } from "../../core/index.ts";
import { boundedInput } from "./bounded-input.ts";
import type { ShownCall } from "./shown.ts";

/**
 * The call of a subagent that somebody must allow, as the client is shown it. Its own call is in another session; here it
 * is one with the question's id, from the asking to the answer.
 */
export function askedCall({
  requestId,
  toolName,
  command,
  description,
  content,
  locations = [],
}: ApprovalRequest): ShownCall {
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
