import { HostError } from "./errors.ts";
import type { Policy } from "./policy.ts";
import type { Usage } from "./usage.ts";

/**
 * Checked before each model call, so that a session goes over its budget by one call at most. What the provider read
 * from its cache counts for nothing here: a long session would otherwise be stopped for being long.
 *
 * @throws HostError `limit_exceeded` naming the setting; the session goes on with the next prompt once that is raised
 */
export function checkBudget(usage: Usage, { sessionTokens, sessionCost }: Policy["limits"]): void {
  const tokens = usage.input - usage.cacheRead + usage.output;
  if (sessionTokens > 0 && tokens >= sessionTokens)
    throw used(`${tokens} of its ${sessionTokens} tokens`, "limits.session_tokens");
  if (sessionCost > 0 && usage.cost !== undefined && usage.cost >= sessionCost)
    throw used(`$${usage.cost.toFixed(2)} of its $${sessionCost.toFixed(2)}`, "limits.session_cost");
}

const used = (what: string, subject: string): HostError =>
  new HostError(
    "limit_exceeded",
    `The session has used ${what}. Nothing is lost: raise ${subject} in config.yaml and send a prompt to go on.`,
    { details: { subject } },
  );
