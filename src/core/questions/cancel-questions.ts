import type { QuestionRequest, QuestionResolved } from "../events/question-events.ts";
import type { SessionState } from "../state/state.ts";

/** Ends the open questions of a turn that stops. */
export function cancelQuestions(state: SessionState, reason: string): readonly QuestionResolved[] {
  return state.questions.map(({ request }) => ({
    type: resolvedType(request),
    requestId: request.requestId,
    turnId: request.turnId,
    callId: request.callId,
    resolution: { outcome: "cancelled", reason },
  }));
}

export function resolvedType(request: QuestionRequest): QuestionResolved["type"] {
  switch (request.type) {
    case "approval.request":
      return "approval.resolved";
    case "clarify.request":
      return "clarify.resolved";
    case "sudo.request":
      return "sudo.resolved";
    case "secret.request":
      return "secret.resolved";
  }
}
