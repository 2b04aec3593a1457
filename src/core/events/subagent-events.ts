import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { Usage } from "./usage.ts";

/** The outcome of a subagent. */
export type SubagentStatus = "completed" | "failed" | "timeout" | "interrupted";

/** The subagent that an event of its parent's session is about. */
export interface SubagentRef {
  readonly subagentId: string;
  /** The subagent that this one works for; absent below a person's session. */
  readonly parentSubagentId?: string;
  /** The call that asked for it, in the session whose event this is. */
  readonly callId: string;
  /** Its task, in a line. */
  readonly goal: string;
  /** Its place among the tasks of the call, from 0. */
  readonly index: number;
  /** The tasks of the call. */
  readonly count: number;
  /** 1 below a person's session. */
  readonly depth: number;
}

interface SubagentStart extends SubagentRef {
  readonly type: "subagent.start";
  readonly childId: string;
  readonly model: string;
  readonly toolsets: readonly string[];
}

/** A subagent has ended. */
export interface SubagentComplete extends SubagentRef {
  readonly type: "subagent.complete";
  readonly childId: string;
  readonly status: SubagentStatus;
  /** The beginning of its answer, or why there is none. */
  readonly summary: string;
  readonly durationMs: number;
  readonly toolCalls: number;
  /** All that its session used. */
  readonly usage: Usage;
  /** Paths, as its calls named them; at most 40. */
  readonly filesRead: readonly string[];
  readonly filesWritten: readonly string[];
  /** The newest results of its calls, the beginning of each. */
  readonly outputTail: readonly {
    readonly tool: string;
    readonly preview: string;
    readonly isError: boolean;
  }[];
  readonly error?: ErrorRecord;
  /** Its session has read something secret, and its answer may hold it. */
  readonly sensitive?: true;
}

/** Rows of a session whose calls have subagents. */
export type SubagentEvent = SubagentStart | SubagentComplete;

/** The progress of a running subagent, in a line: no row, but shown as it happens. */
export type SubagentNews = SubagentRef &
  (
    | { readonly type: "subagent.spawn_requested" }
    | {
        readonly type: "subagent.thinking" | "subagent.progress";
        readonly childId: string;
        readonly text: string;
        readonly toolCalls: number;
      }
    | {
        readonly type: "subagent.tool";
        readonly childId: string;
        readonly tool: string;
        readonly text: string;
        readonly toolCalls: number;
      }
  );
