import type { Host, Origin } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { formatAge } from "../../shared/text/format.ts";
import { type OpenApproval, approvalsOfAll } from "./open-approvals.ts";
import { offeredAnswers, questionCard } from "../turns/question-card.ts";

/** The command of approvers, as the platforms' menus list it. */
export const PENDING_COMMAND = {
  name: "pending",
  description: "Approvals that conversations wait for; for those who may approve",
} as const;

const CODE_LENGTH = 6;

/** The letters by which people name an approval. */
const codeOf = (requestId: string): string => requestId.slice(-CODE_LENGTH);

/** Says how an approval is answered where there are no buttons. */
export const answerHint = (requestId: string): string =>
  `Answer with /${PENDING_COMMAND.name} ${codeOf(requestId)} and the number.`;

/**
 * Carries out `/pending`: lists the approvals that conversations wait for, or answers one by its code and a number.
 *
 * @returns Markdown
 * @throws HostError `not_found`, `answer_invalid`, `question_not_pending`, `not_allowed`
 */
export async function runPending(host: Host, argument: string, from: Origin): Promise<string> {
  const found = await approvalsOfAll(host);
  if (argument === "") return listed(found, host.services.clock.now());
  const [code = "", number = ""] = argument.split(/\s+/);
  const meant = found.filter(({ request }) => codeOf(request.requestId) === code.toLowerCase());
  const [one] = meant;
  if (one === undefined || meant.length > 1)
    throw new HostError(
      "not_found",
      `No approval ${code} waits. /${PENDING_COMMAND.name} lists those that do.`,
    );
  const offered = offeredAnswers(one.request);
  const answer = offered[Number(number) - 1]?.answer;
  if (answer === undefined)
    throw new HostError("answer_invalid", `Answer with a number from 1 to ${offered.length}.`);
  const session = await host.session(one.sessionId);
  await session.answer(one.request.requestId, answer, from);
  return "Taken.";
}

function listed(found: readonly OpenApproval[], now: number): string {
  if (found.length === 0) return "Nothing waits for an approval.";
  const cards = found.map(({ request, origin, askedAt }) => {
    const above = `${origin}, ${formatAge(now - askedAt)} ago.`;
    return questionCard(request, { above, buttons: false, hint: answerHint(request.requestId) }).text;
  });
  return cards.join("\n\n---\n\n");
}
