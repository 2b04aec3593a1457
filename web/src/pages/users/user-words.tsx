import type { User } from "../../client/users.ts";
import { Badge } from "../../design/badge.tsx";
import { count } from "../../design/figures.ts";

/** The roles of users, in words. */
export const ROLES: Readonly<Record<User["role"], string>> = { member: "Member", operator: "Operator" };

/** Whether a user may use the agent, and whether their budget is used up. */
export function UserState({ user }: { readonly user: User }) {
  if (user.disabled) return <Badge tone="bad">Disabled</Badge>;
  if (isUsedUp(user)) return <Badge tone="warn">Budget used up</Badge>;
  return <Badge tone="good">Active</Badge>;
}

const isUsedUp = ({ budget, used }: User): boolean =>
  (budget.tokens !== null && used.tokens >= budget.tokens) ||
  (budget.cost !== null && used.cost >= budget.cost);

/** What a user has used of their budget in this month. */
export function usedText({ budget, used }: User): string {
  const tokens = `${count(used.tokens)}${budget.tokens === null ? "" : ` of ${count(budget.tokens)}`} tokens`;
  const cost = `$${used.cost.toFixed(2)}${budget.cost === null ? "" : ` of $${budget.cost.toFixed(2)}`}`;
  return `${tokens}, ${cost}`;
}
