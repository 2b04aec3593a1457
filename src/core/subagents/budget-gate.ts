import { countedTokens, budgetLimits, budgetError } from "./budget.ts";
import { sleep } from "../../shared/async/clock.ts";
import type { Services } from "../ports/services.ts";
import { addUsage, NO_USAGE, type Usage } from "../events/usage.ts";
import type { FamilyMember, BudgetGatePort } from "../turn/subagent-port.ts";

/** How often it is looked again whether the calls under way have been counted. */
const LOOK_MS = 50;

/** A model call that is under way: counted once its session has one call more. */
interface Reservation {
  readonly member: FamilyMember;
  readonly root: string;
  readonly calls: number;
  readonly usage: Usage;
}

/** Lets the sessions of a family make model calls for as long as their budget lasts, also side by side. */
export class BudgetGate implements BudgetGatePort {
  readonly #services: Services;
  readonly #family: (member: FamilyMember) => FamilyMember;
  readonly #reserves = new Map<string, Reservation>();

  /** @param family - the session at the root of a family, with what all of it has used */
  constructor(services: Services, family: (member: FamilyMember) => FamilyMember) {
    this.#services = services;
    this.#family = family;
  }

  /** A family goes over its budget by about one call, however many of it work side by side. */
  async admit(member: FamilyMember, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { id: root, state } = this.#family(member);
      const limits = budgetLimits(state.settings, this.#services.policy());
      if (limits.tokens === 0 && limits.cost === 0) return;
      const error = budgetError(state.usage, limits);
      if (error !== undefined) throw error;
      const others = this.#underWay(root, member);
      if (others.calls === 0 || budgetError(addUsage(state.usage, others.usage), limits) === undefined) {
        const usage = nextCall(member, state.usage);
        this.#reserves.set(member.id, { member, root, calls: member.state.usage.calls, usage });
        return;
      }
      await sleep(this.#services.clock, LOOK_MS, signal);
      signal.throwIfAborted();
    }
  }

  leave({ id }: Pick<FamilyMember, "id">): void {
    this.#reserves.delete(id);
  }

  #underWay(root: string, { id }: FamilyMember): { readonly usage: Usage; readonly calls: number } {
    const others = [...this.#reserves.values()].filter(
      (each) => each.root === root && each.member.id !== id && each.member.state.usage.calls === each.calls,
    );
    const usage = others.reduce((sum, each) => addUsage(sum, each.usage), NO_USAGE);
    return { usage, calls: others.length };
  }
}

/** What a session's next call will use, as far as one can know: about what its last one did, or its family's on average. */
function nextCall({ state }: FamilyMember, family: Usage): Usage {
  const calls = Math.max(1, family.calls);
  const input = state.contextTokens > 0 ? state.contextTokens : Math.ceil(countedTokens(family) / calls);
  return { ...NO_USAGE, input: Math.max(1, input), cost: (family.cost ?? 0) / calls };
}
