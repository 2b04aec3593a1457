import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { TurnOutcome } from "../events/events.ts";
import type { Origin } from "../events/prompt.ts";
import type { ApprovalChoice, Resolution } from "../events/question-events.ts";
import type { FinishReason, ToolOutcome } from "../events/reply.ts";
import type { SubagentStatus } from "../events/subagent-events.ts";
import type { Usage } from "../events/usage.ts";

/**
 * The kinds of what takes a turn's time, the one that accounts for a moment first where several go on at once. `retry` waits
 * for the next try of a model call, `host` is what nothing else explains.
 */
export const SPAN_KINDS = [
  "crash",
  "compaction",
  "model",
  "tool",
  "subagent",
  "waiting",
  "retry",
  "host",
] as const;

/** A kind of what takes a turn's time. */
export type SpanKind = (typeof SPAN_KINDS)[number];

/** A stretch of time, Unix milliseconds; without an end it goes on. */
export interface Stretch {
  readonly start: number;
  readonly end?: number;
}

/** A model call of a turn. */
export interface ModelSpan extends Stretch {
  readonly kind: "model";
  readonly provider?: string;
  readonly model?: string;
  /** The first text, thought or call came. */
  readonly firstAt?: number;
  readonly finish?: FinishReason;
  readonly usage?: Usage;
  /** Why this try failed. */
  readonly failure?: string;
}

/** A wait before a model call is tried again. */
interface RetrySpan extends Stretch {
  readonly kind: "retry";
  readonly attempt: number;
  /** Why the try before it failed. */
  readonly failure: string;
}

/** A tool call, its questions included. */
export interface ToolSpan extends Stretch {
  readonly kind: "tool";
  readonly callId: string;
  readonly name: string;
  readonly label: string;
  readonly outcome?: ToolOutcome;
}

/** A wait for a person. */
export interface WaitingSpan extends Stretch {
  readonly kind: "waiting";
  readonly requestId: string;
  readonly callId: string;
  readonly question: "approval" | "clarify" | "sudo" | "secret";
  /** What was asked, in a line. */
  readonly about: string;
  /** Where the turn's prompt came from, so where people were asked first. */
  readonly asked: Origin;
  /** The subagent that asked. */
  readonly childId?: string;
  readonly outcome?: Resolution["outcome"];
  readonly choice?: ApprovalChoice;
  /** Who answered. */
  readonly by?: Origin;
}

/** A summary of the older part of the conversation. */
interface CompactionSpan extends Stretch {
  readonly kind: "compaction";
  readonly usage: Usage;
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
  /** Why there is none. */
  readonly failure?: string;
}

/** A subagent that worked for a call; `childId` is its session. */
export interface SubagentSpan extends Stretch {
  readonly kind: "subagent";
  readonly subagentId: string;
  readonly callId: string;
  readonly childId: string;
  readonly goal: string;
  readonly model: string;
  readonly depth: number;
  readonly status?: SubagentStatus;
  readonly usage?: Usage;
}

/** The time in which the process died, until another one took the session over: nothing tells when it did. */
interface CrashSpan extends Stretch {
  readonly kind: "crash";
  /** What it was at. */
  readonly during: string;
}

/** A stretch of a turn, and what took that time. Spans overlap: calls run side by side, and a wait lies within its call. */
export type TimeSpan =
  | ModelSpan
  | RetrySpan
  | ToolSpan
  | WaitingSpan
  | CompactionSpan
  | SubagentSpan
  | CrashSpan;

/** A stretch of a turn that one kind accounts for. */
export interface TurnSegment {
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
}

/** A turn, and where its time went. */
export interface TurnTimeline {
  readonly turnId: string;
  readonly promptId: string;
  readonly text: string;
  readonly from: Origin;
  /** Cursors before its first row, after it, and after its last one. */
  readonly before: number;
  readonly seq: number;
  readonly to?: number;
  readonly startedAt: number;
  /** Absent while it runs. */
  readonly endedAt?: number;
  /** Its prompt waited in the queue since then. */
  readonly queuedAt?: number;
  readonly outcome?: TurnOutcome;
  readonly reason?: string;
  readonly error?: ErrorRecord;
  readonly stoppedBy?: string;
  /** It is no part of the conversation any more. */
  readonly takenBack: boolean;
  readonly usage: Usage;
  /** In the order in which they began. */
  readonly spans: readonly TimeSpan[];
  /** All of the turn, without a gap and without overlap. */
  readonly segments: readonly TurnSegment[];
  /** Milliseconds by kind: together they are the length of the turn. */
  readonly totals: Readonly<Record<SpanKind, number>>;
}
