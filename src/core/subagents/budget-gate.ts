import { Signal } from "../../shared/async/signal.ts";
import { budgetError, budgetLimits, countedTokens } from "./budget.ts";
import type { Services } from "../ports/services.ts";
import { addUsage, NO_USAGE, type Usage } from "../events/usage.ts";
import type { BudgetGatePort, FamilyLog, FamilyMember } from "../turn/subagent-port.ts";

/** The session at the root of a family, and the usage of all of it by now. */
export interface Family<Member extends FamilyMember> {
  readonly root: Member;
  readonly usage: Usage;
}

/** A model call that is under way: counted once its session has one call more. */
interface Reservation {
  readonly member: FamilyLog;
  readonly rootId: string;
  readonly calls: number;
  readonly usage: Usage;
}

/** A gate that lets the sessions of a family make model calls, also side by side, for as long as their budget lasts. */
export class BudgetGate implements BudgetGatePort {
  readonly #services: Services;
  readonly #family: (member: FamilyLog) => Family<FamilyLog>;
  readonly #reservations = new Map<string, Reservation>();
  readonly #left = new Signal();

  constructor(services: Services, family: (member: FamilyLog) => Family<FamilyLog>) {
    this.#services = services;
    this.#family = family;
  }

  /** A family goes over its budget by about one call, however many of it work side by side. */
  async admit(member: FamilyLog, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { root, usage } = this.#family(member);
      const limits = budgetLimits(root.state, this.#services.policy());
      if (limits.tokens === 0 && limits.cost === 0) return;
      const error = budgetError(usage, limits);
      if (error !== undefined) throw error;
      const others = this.#underWay(root.id, member);
      const reserved = others.reduce((sum, each) => addUsage(sum, each.usage), usage);
      if (others.length === 0 || budgetError(reserved, limits) === undefined) {
        const { calls } = member.state.usage;
        this.#reservations.set(member.id, { member, rootId: root.id, calls, usage: nextCall(member, usage) });
        return;
      }
      await this.#change([root, ...others.map((each) => each.member)], signal);
      signal.throwIfAborted();
    }
  }

  leave({ id }: Pick<FamilyMember, "id">): void {
    this.#reservations.delete(id);
    this.#left.notify();
  }

  /** The calls of others of the family that are not counted yet. */
  #underWay(rootId: string, { id }: FamilyMember): readonly Reservation[] {
    return [...this.#reservations.values()].filter(
      (each) =>
        each.rootId === rootId && each.member.id !== id && each.member.state.usage.calls === each.calls,
    );
  }

  /** Resolves when something happens in one of the logs, or a member makes no more calls, or the signal aborts. */
  async #change(logs: readonly FamilyLog[], signal: AbortSignal): Promise<void> {
    using listeners = new DisposableStack();
    const sources = new Set<Pick<FamilyLog, "listen">>([this.#left, ...logs]);
    await Promise.race([...sources].map((source) => listeners.use(source.listen(signal)).wait()));
  }
}

/** Estimates the usage of a session's next call: about that of its last one, or its family's average. */
function nextCall({ state }: FamilyMember, family: Usage): Usage {
  const calls = Math.max(1, family.calls);
  const input = state.contextTokens > 0 ? state.contextTokens : Math.ceil(countedTokens(family) / calls);
  return { ...NO_USAGE, input: Math.max(1, input), cost: (family.cost ?? 0) / calls };
}
