import { defined } from "../../shared/json/defined.ts";
import type { SessionLog } from "../log/session-log.ts";
import type { OpenOptions } from "../session/open-options.ts";
import type { CarryOutPorts } from "../session/carry-out.ts";
import type { SessionActor } from "../session/session-actor.ts";
import { addUsage, type Usage } from "../events/usage.ts";
import { planChildSession } from "./child-session.ts";
import { BudgetGate, type Family } from "./budget-gate.ts";
import type { SubagentRef } from "../events/subagent-events.ts";
import type { FamilyMember, ParentCall, SubagentPort } from "../turn/subagent-port.ts";
import type { SubagentReport, SubagentTask } from "../ports/tool.ts";
import { Subagent } from "./subagent.ts";
import { KeyedSemaphore } from "../../shared/async/keyed-semaphore.ts";

const GOAL_CHARACTERS = 200;

/** The ports of a `SubagentManager`. */
export interface SubagentManagerPorts extends CarryOutPorts {
  readonly open: (options: OpenOptions) => Promise<SessionActor>;
}

/** A subagent of this process. */
export interface ActiveSubagent extends SubagentRef {
  readonly sessionId: string;
  /** The session whose call it works for. */
  readonly parentSessionId: string;
  readonly model: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly status: "running" | "waiting";
  readonly toolCalls: number;
  readonly lastTool?: string;
}

/** The manager of the subagents of one process: begins them in turn, lists and stops them, adds up what families use. */
export class SubagentManager implements SubagentPort {
  readonly budget: BudgetGate;
  readonly #ports: SubagentManagerPorts;
  readonly #gate: KeyedSemaphore;
  readonly #running = new Map<string, Subagent>();
  /** The sessions that work for another one, and the roots of their families. */
  readonly #workers = new Map<string, { readonly root: SessionActor; readonly child: SessionActor }>();
  readonly #working = new Set<Promise<unknown>>();

  constructor(ports: SubagentManagerPorts) {
    this.#ports = ports;
    this.budget = new BudgetGate(ports.services, (member) => this.#familyOf(member));
    this.#gate = new KeyedSemaphore(() => ports.services.policy().delegation.maxChildren);
  }

  /** While it is set, no subagent begins: they wait. */
  get paused(): boolean {
    return this.#gate.closed;
  }

  set paused(paused: boolean) {
    this.#gate.closed = paused;
  }

  /** Those that run now, the oldest first. */
  active(): readonly ActiveSubagent[] {
    return [...this.#running.values()].map((subagent) => ({
      ...subagent.ref,
      sessionId: subagent.child.id,
      parentSessionId: subagent.parent.id,
      model: subagent.model,
      startedAt: subagent.startedAt,
      status: subagent.asking ? "waiting" : "running",
      toolCalls: subagent.stats.toolCalls,
      ...defined({ lastTool: subagent.stats.newest.at(-1) }),
    }));
  }

  /** Stops one, and with it its own; `false` when none of this id runs here. */
  interrupt(subagentId: string): boolean {
    const subagent = this.#running.get(subagentId);
    subagent?.stop("interrupted");
    return subagent !== undefined;
  }

  async run(call: ParentCall, task: SubagentTask): Promise<SubagentReport> {
    const { services } = this.#ports;
    const parent = await this.#ports.actor(call.sessionId);
    const { delegation } = services.policy();
    const models = services.models();
    const options = planChildSession({ call, state: parent.log.state }, task, { delegation, models });
    const model = models.resolve(options.model).name;
    const ref = this.#ref(call, task, options.depth);
    parent.writer.show({ type: "subagent.spawn_requested", ...ref });
    const leave = await this.#gate.enter(call.sessionId, call.signal);
    try {
      const child = await this.#ports.open(options.open);
      return await this.#run(new Subagent({ ref, task, call, parent, child, model }));
    } finally {
      leave();
    }
  }

  /** The usage of a session's whole family by now: of the person's session at its root and of all that work for it. */
  familyUsage(member: FamilyMember): Usage {
    return this.#familyOf(member).usage;
  }

  rootOf(log: SessionLog): SessionLog {
    return this.#familyOf(log).root;
  }

  /** Keeps track of a session that works for another one, until the work is over. */
  async track<T>(parent: SessionActor, child: SessionActor, work: Promise<T>): Promise<T> {
    const root = this.#workers.get(parent.id)?.root ?? parent;
    this.#workers.set(child.id, { root, child });
    this.#working.add(work);
    try {
      return await work;
    } finally {
      this.#workers.delete(child.id);
      this.#working.delete(work);
    }
  }

  /** Resolves when nobody works for any session of this process. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
  }

  #familyOf<Member extends FamilyMember>(member: Member): Family<Member | SessionLog> {
    const root = this.#workers.get(member.id)?.root.log ?? member;
    const children = [...this.#workers.values()].filter((worker) => worker.root.id === root.id);
    const usage = children.reduce((sum, { child }) => addUsage(sum, child.log.state.usage), root.state.usage);
    return { root, usage };
  }

  async #run(subagent: Subagent): Promise<SubagentReport> {
    const { subagentId } = subagent.ref;
    this.#running.set(subagentId, subagent);
    try {
      return await this.track(subagent.parent, subagent.child, subagent.run());
    } finally {
      this.#running.delete(subagentId);
    }
  }

  #ref({ sessionId, callId }: ParentCall, { goal, index, count }: SubagentTask, depth: number): SubagentRef {
    const above = [...this.#running.values()].find(({ child }) => child.id === sessionId);
    const [line = ""] = goal.trim().split("\n");
    return {
      subagentId: `sub_${this.#ports.services.hex(4)}`,
      callId,
      goal: line.slice(0, GOAL_CHARACTERS).toWellFormed(),
      index,
      count,
      depth,
      ...defined({ parentSubagentId: above?.ref.subagentId }),
    };
  }
}
