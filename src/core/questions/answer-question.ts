import { localTime } from "../../shared/text/local-time.ts";
import { placeWords } from "../../shared/text/surface-words.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Decision, LogView } from "../log/append-plan.ts";
import { rulesOf } from "./approvals.ts";
import { isLasting, resolutionRow, resolutionRows } from "./resolution-rows.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { DurableEvent } from "../events/events.ts";
import type { Origin } from "../events/prompt.ts";
import type { ApprovalChoice, Resolution } from "../events/question-events.ts";
import type { SealedSecret } from "../../shared/crypto/sealed-secret.ts";
import type { OpenQuestion, SessionState } from "../state/state.ts";

/** An answer as it travels: secrets are sealed to the process that asked. */
export type AnswerInput =
  | { readonly choice: ApprovalChoice; readonly text?: string; readonly scope?: string }
  | { readonly text: string }
  | { readonly declined: true }
  | { readonly sealed: SealedSecret };

/** An answer, to which question, and from whom. */
export interface AnswerCommand {
  readonly requestId: string;
  readonly answer: AnswerInput;
  readonly from: Origin;
}

/** The opener of sealed answers: only the process that asked has the keys. */
export interface SecretOpener {
  /** Opens a sealed answer. */
  open(requestId: string, sealed: SealedSecret): string | undefined;
}

/** The parts of the host that an answer is judged with. */
export interface AnswerPorts {
  /** Absent where no turn waits for a secret. */
  readonly opener: SecretOpener | undefined;
  /** People in chats whose answers to approvals count. */
  readonly chatApprovers: readonly string[];
}

/**
 * Answers an open question; the first valid answer counts.
 *
 * @throws HostError `question_not_pending` saying how it ended, `answer_invalid`, `not_allowed`
 */
export function answerQuestion(
  { state }: LogView,
  input: AnswerCommand,
  { opener, chatApprovers }: AnswerPorts,
): Decision<Resolution> {
  const question = findQuestion(state, input.requestId);
  if (question === undefined) throw notPending(state, input.requestId);
  checkChat(question, input.from, chatApprovers);
  const resolution = resolutionOf(question, input, opener);
  const events = [...resolutionRows(question, resolution), ...coveredToo(state, question, resolution)];
  return { events, value: resolution, lease: "take" };
}

/**
 * Refuses answers from a chat that only the owner may give: whoever talks there may ask for work, and not allow it.
 *
 * @throws HostError `not_allowed`
 */
function checkChat({ request }: OpenQuestion, from: Origin, approvers: readonly string[]): void {
  if ((from.surface !== "chat" && from.surface !== "app") || request.type === "clarify.request") return;
  if (from.surface === "app")
    throw new HostError("not_allowed", "An operator decides about this at the dashboard.");
  if (request.type !== "approval.request")
    throw new HostError("not_allowed", "Passwords and secrets are not taken in a chat.");
  if (from.client === undefined || !approvers.includes(from.client))
    throw new HostError("not_allowed", "You are not among those who may approve here.");
}

/** Subagents that work side by side ask the same: what is allowed for longer than once is allowed to all of them. */
function coveredToo(
  state: SessionState,
  { request }: OpenQuestion,
  resolution: Resolution,
): readonly DurableEvent[] {
  if (request.type !== "approval.request" || !isLasting(resolution)) return [];
  const allowed = new Set([...state.allowed, ...rulesOf(request, resolution.scope)]);
  const others = state.questions.filter(
    ({ request: other }) =>
      other.requestId !== request.requestId &&
      other.type === "approval.request" &&
      other.child !== undefined &&
      other.patterns.length > 0 &&
      other.patterns.every((pattern) => allowed.has(pattern)),
  );
  return others.map((other) => resolutionRow(other, { ...resolution, choice: "once" }));
}

function resolutionOf(
  { request }: OpenQuestion,
  { answer: given, from, requestId }: AnswerCommand,
  opener: SecretOpener | undefined,
): Resolution {
  switch (request.type) {
    case "approval.request": {
      if (!("choice" in given) || !request.choices.includes(given.choice)) {
        throw new HostError("answer_invalid", `This approval takes one of: ${request.choices.join(", ")}.`);
      }
      const scope = given.choice === "always" ? given.scope : undefined;
      if (scope !== undefined && !request.scopes?.some(({ id }) => id === scope))
        throw new HostError("answer_invalid", `This approval offers no scope ${JSON.stringify(scope)}.`);
      return { outcome: "answered", choice: given.choice, ...defined({ scope, text: given.text }), by: from };
    }
    case "clarify.request":
      if ("declined" in given) return { outcome: "refused", reason: "the user declined to answer" };
      if (!("text" in given)) throw new HostError("answer_invalid", "A clarification is answered with text.");
      return { outcome: "answered", text: given.text ?? "", by: from };
    case "sudo.request":
    case "secret.request": {
      const known = "sealed" in given ? opener?.open(requestId, given.sealed) : undefined;
      if (known === undefined)
        throw new HostError("answer_invalid", "The answer was not sealed to this question.");
      return known === ""
        ? { outcome: "refused", reason: "the user skipped it" }
        : { outcome: "answered", by: from };
    }
  }
}

/** An open question. */
export const findQuestion = ({ questions }: SessionState, requestId: string): OpenQuestion | undefined =>
  questions.find(({ request }) => request.requestId === requestId);

function notPending({ closedQuestions }: SessionState, requestId: string): HostError {
  const closed = closedQuestions.find((question) => question.requestId === requestId);
  const details = { details: { subject: requestId } };
  if (closed === undefined)
    return new HostError("question_not_pending", `No open question has the id ${requestId}.`, details);
  const { resolution, at } = closed;
  const how =
    resolution.outcome === "answered"
      ? `was answered from ${placeWords(resolution.by.surface)}`
      : resolution.outcome;
  return new HostError(
    "question_not_pending",
    `Question ${requestId} is over: ${how} at ${localTime(at)}.`,
    details,
  );
}
