import type { ErrorRecord } from "../../shared/errors/host-error.ts";

/** The most that a session may use in all, its subagents' work included; 0 is no limit, an absent key the owner's. */
export interface Budget {
  /** Tokens, without those that the provider read from its cache. */
  readonly tokens?: number;
  /** US dollars, where prices are known. */
  readonly cost?: number;
}

const PERSONAL = "budget of user:";

/** The subject of an error that a user's budget is used up. */
export const budgetSubject = (user: string): string => `${PERSONAL}${user}`;

/** The user whose budget an error says is used up; `undefined` when it says no such thing. */
export const userOfBudget = (error: ErrorRecord | undefined): string | undefined => {
  const { subject = "" } = error?.details ?? {};
  return subject.startsWith(PERSONAL) ? subject.slice(PERSONAL.length) : undefined;
};
