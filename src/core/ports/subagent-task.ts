import type { SubagentStatus } from "../events/subagent-events.ts";

/** The task of a subagent. */
export interface SubagentTask {
  readonly goal: string;
  /** The facts that it must know: it sees nothing of its parent's conversation. */
  readonly context?: string;
  /** Of its parent's toolsets; all that subagents may have by default. */
  readonly toolsets?: readonly string[];
  /** Its place among the tasks of the call, from 0. */
  readonly index: number;
  readonly count: number;
  /** Told of its progress, in a line. */
  readonly onProgress?: (text: string) => void;
}

/** The result of a subagent. */
export interface SubagentReport {
  readonly sessionId: string;
  readonly status: SubagentStatus;
  /** Its last answer, cut to what the owner allows; with a status other than `completed`, what there is of it. */
  readonly answer: string;
  /** Why it did not complete. */
  readonly reason?: string;
  readonly toolCalls: number;
  readonly durationMs: number;
}
