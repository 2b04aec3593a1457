import { type Listener } from "../../shared/async/signal.ts";
import type { Attachments } from "../ports/attachment.ts";
import type { QuestionPolicy } from "../events/prompt.ts";
import type { QuestionRequest } from "../events/question-events.ts";
import type { Answered } from "../questions/turn-questions.ts";
import type { SessionLog } from "../log/session-log.ts";
import type { SessionState } from "../state/state.ts";
import type { SubagentReport, SubagentTask } from "../ports/tool.ts";

/** A call that asks for subagents, in the turn that runs it. */
export interface ParentCall {
  readonly sessionId: string;
  readonly callId: string;
  /** Aborts when the turn ends. */
  readonly signal: AbortSignal;
  readonly questions: QuestionPolicy;
  /** The toolsets that the turn has. */
  readonly toolsets: readonly string[];
  readonly attachments: Attachments;
  /** Puts a subagent's question before the people at the parent. */
  ask(request: QuestionRequest): Promise<Answered>;
}

/** The port to subagents: runs them, and admits model calls within their budget. */
export interface SubagentPort {
  /**
   * Runs a task in a session of its own, to its end. A subagent that fails is a report, too.
   *
   * @throws HostError `limit_exceeded` below the deepest level, `invalid_params` for toolsets that there are not,
   * `interrupted` when the turn ends before it began
   */
  run(parent: ParentCall, task: SubagentTask): Promise<SubagentReport>;
  readonly budget: BudgetGatePort;
  /** The log of the person's session that a session works for; its own when it works for nobody. */
  rootOf(log: SessionLog): SessionLog;
}

/** A session of a family: the person's session at the root, and all that work for it. */
export interface FamilyMember {
  readonly id: string;
  readonly state: Pick<SessionState, "usage" | "settings" | "persona" | "contextTokens">;
}

/** The log of a family's session. */
export interface FamilyLog extends FamilyMember {
  /** Wakes when something happens in the log. */
  listen(signal: AbortSignal): Listener;
}

/** The gate before the model calls of a family's sessions. */
export interface BudgetGatePort {
  /**
   * Admits the next model call of a member; waits near the end of a budget while others of the family call.
   *
   * @throws HostError `budget_exceeded` saying how to go on; the turn is parked
   */
  admit(member: FamilyLog, signal: AbortSignal): Promise<void>;
  /** The member makes no more calls. */
  leave(member: Pick<FamilyMember, "id">): void;
}
