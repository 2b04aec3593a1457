import { rulesOf } from "./approvals.ts";
import type { DurableEvent } from "../events/events.ts";
import type { QuestionRequest, QuestionResolved, Resolution } from "../events/question-events.ts";
import type { OpenQuestion, SessionState } from "../state/state.ts";

const RESOLVED = {
  "approval.request": "approval.resolved",
  "clarify.request": "clarify.resolved",
  "sudo.request": "sudo.resolved",
  "secret.request": "secret.resolved",
} as const satisfies Record<QuestionRequest["type"], QuestionResolved["type"]>;

/** The end of a question, as a row. */
export function resolutionRow({ request }: OpenQuestion, resolution: Resolution): QuestionResolved {
  const { type, requestId, turnId, callId } = request;
  return { type: RESOLVED[type], requestId, turnId, callId, resolution };
}

/** The end of a question, and what is allowed from now on if it was answered for longer than once. */
export function resolutionRows(question: OpenQuestion, resolution: Resolution): readonly DurableEvent[] {
  const { request } = question;
  const end = resolutionRow(question, resolution);
  if (request.type !== "approval.request" || !isLasting(resolution)) return [end];
  return [end, { type: "approval.pattern", patterns: rulesOf(request, resolution.scope) }];
}

/** The ends of all open questions of a turn that stops. */
export const cancelQuestions = (state: SessionState, reason: string): readonly QuestionResolved[] =>
  state.questions.map((question) => resolutionRow(question, { outcome: "cancelled", reason }));

/** The ends of the questions that calls leave open when they are over: an answer could change nothing any more. */
export const withdrawQuestions = (
  { questions }: SessionState,
  ended: readonly string[],
): readonly QuestionResolved[] =>
  questions
    // The copy of a subagent's question ends with that one.
    .filter(({ request }) => request.child === undefined && ended.includes(request.callId))
    .map((question) => resolutionRow(question, { outcome: "cancelled", reason: "what asked is over" }));

/** Says whether an approval was given for longer than once. */
export const isLasting = (
  resolution: Resolution,
): resolution is Extract<Resolution, { readonly outcome: "answered" }> =>
  resolution.outcome === "answered" && (resolution.choice === "session" || resolution.choice === "always");
