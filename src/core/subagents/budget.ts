import { HostError } from "../../shared/errors/host-error.ts";
import type { Policy } from "../ports/policy.ts";
import type { SessionState } from "../state/state.ts";
import type { Usage } from "../events/usage.ts";

/** The limits of all that a session may use; 0 is no limit. */
export interface BudgetLimits {
  readonly tokens: number;
  readonly cost: number;
}

/** The limits that hold for a session: its own, else its persona's, else the owner's. */
export function budgetLimits(
  { settings, persona }: Pick<SessionState, "settings" | "persona">,
  { limits }: Policy,
): BudgetLimits {
  const budget = { ...persona?.budget, ...settings.budget };
  return { tokens: budget.tokens ?? limits.sessionTokens, cost: budget.cost ?? limits.sessionCost };
}

/**
 * Counts tokens as a budget does. Tokens from the provider's cache do not count: a long session would otherwise be
 * stopped for being long.
 */
export const countedTokens = ({
  input,
  cacheRead,
  output,
}: Pick<Usage, "input" | "cacheRead" | "output">): number => input - cacheRead + output;

/** Gives the error of a budget that is used up; `undefined` while another model call may be made. */
export function budgetError(usage: Usage, { tokens, cost }: BudgetLimits): HostError | undefined {
  const used = countedTokens(usage);
  if (tokens > 0 && used >= tokens)
    return exceeded(`${used} of its ${tokens} tokens`, {
      subject: "limits.session_tokens",
      example: `/budget ${2 * tokens}`,
    });
  if (cost > 0 && usage.cost !== undefined && usage.cost >= cost)
    return exceeded(`$${usage.cost.toFixed(2)} of its $${cost.toFixed(2)}`, {
      subject: "limits.session_cost",
      example: `/budget $${(2 * cost).toFixed(2)}`,
    });
  return undefined;
}

const exceeded = (what: string, { subject, example }: { subject: string; example: string }): HostError =>
  new HostError(
    "budget_exceeded",
    `The session has used ${what}, and the turn stopped there. Nothing is lost: ${example} goes on in this session, or raise ${subject} in config.yaml and send a prompt.`,
    { details: { subject } },
  );
