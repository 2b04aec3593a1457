import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { Budget } from "../events/budget.ts";
import type { TurnOutcome, SessionMode } from "../events/events.ts";
import type { HomeMachine } from "../events/home-machine.ts";
import type { Todo, ToolCall } from "../events/reply.ts";
import type { Platform, Prompt } from "../events/prompt.ts";
import type { EndedProcess, StartedProcess } from "../events/process-events.ts";
import type { QuestionRequest, Resolution } from "../events/question-events.ts";
import type { SubagentRef } from "../events/subagent-events.ts";
import type { Persona } from "../events/persona.ts";
import { NO_USAGE, type Usage } from "../events/usage.ts";

/** Raised when the fold changes: stored states of another version are rebuilt from their rows. */
export const STATE_VERSION = 10;

/** A range of cursors, `from` excluded and `to` included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Whether one of the ranges holds a cursor. */
export const coversSeq = (ranges: readonly Range[], seq: number): boolean =>
  ranges.some(({ from, to }) => seq > from && seq <= to);

/** The state of one call of the newest reply. */
export interface CallState {
  readonly call: ToolCall;
  readonly status: "waiting" | "started" | "done";
  /** One line for people, once it has started. */
  readonly label?: string;
  /** The state of its approval, when one was needed. */
  readonly permission?: "asked" | "allowed" | "denied";
  /** The end of its approval, when that did not allow it. */
  readonly denial?: Resolution;
  /** The ends of its other questions, in order: a call that continues after a restart does not ask again. */
  readonly answers: readonly Resolution[];
  readonly startedAt?: number;
}

/** The turn that runs. */
export interface TurnState {
  readonly turnId: string;
  readonly prompt: Prompt;
  /** Cursor and row number before the turn's first row. */
  readonly from: number;
  readonly fromRow: number;
  readonly startedAt: number;
  readonly replies: number;
  /** Some reply of the turn had text. */
  readonly said: boolean;
  readonly calls: readonly CallState[];
  readonly steers: readonly { readonly id: string; readonly text: string }[];
  readonly usage: Usage;
  /** Unix milliseconds until which a retry waits. */
  readonly retryUntil?: number;
  readonly completed?: boolean;
}

/** A question that waits for its answer. */
export interface OpenQuestion {
  readonly request: QuestionRequest;
  readonly seq: number;
  readonly askedAt: number;
}

/** A prompt that waits for its turn; `queuedAt` in Unix milliseconds. */
export interface QueuedPrompt {
  readonly prompt: Prompt;
  readonly queuedAt: number;
  /** It waits for somebody to confirm it. */
  readonly held: boolean;
}

/** A question that is over, for those who answer late. */
interface ClosedQuestion {
  readonly requestId: string;
  readonly resolution: Resolution;
  readonly at: number;
}

/** Counts over a session's life. */
export interface Counts {
  readonly messages: number;
  readonly toolCalls: number;
  readonly turns: number;
  readonly compressions: number;
  /** Sessions that were made to work for this one. */
  readonly children: number;
}

/** The small state of a session: a pure fold of its rows. The transcript is not in it. */
export interface SessionState {
  readonly n: number;
  readonly seq: number;
  readonly createdAt: number;
  readonly activeAt: number;
  readonly platform: Platform;
  readonly source: string;
  /** The surfaces that prompts of it came from, in the order in which they first did. */
  readonly surfaces: readonly string[];
  /** Who sent its prompts, as `personName` names them, in the order in which they first did. */
  readonly people: readonly string[];
  readonly cwd: string;
  readonly roots: readonly string[];
  /** The machine on whose disk its files are; absent where any may run its turns. */
  readonly home?: HomeMachine;
  readonly parentId?: string;
  /** The user on the roster whose session it is, for good; absent for one of nobody's. */
  readonly user?: string;
  /** The levels below a person's session, for a subagent's; 0 for a person's. */
  readonly depth: number;
  readonly hidden: boolean;
  /** Lists leave it out unless they are asked for archived sessions. */
  readonly archived?: boolean;
  readonly title: string;
  readonly titleBy: "none" | "user" | "auto";
  readonly settings: Settings;
  /** The persona of its newest turn. */
  readonly persona?: Persona;
  readonly endReason?: string;
  readonly endedAt?: number;
  readonly usage: Usage;
  readonly counts: Counts;
  readonly preview: string;
  readonly queue: readonly QueuedPrompt[];
  readonly turn?: TurnState;
  readonly lastTurn?: {
    readonly turnId: string;
    readonly outcome: TurnOutcome;
    readonly from: number;
    readonly to: number;
    readonly error?: ErrorRecord;
    /** Why it was cut short, in a sentence for people. */
    readonly reason?: string;
  };
  readonly questions: readonly OpenQuestion[];
  /** The newest ones, oldest first. */
  readonly closedQuestions: readonly ClosedQuestion[];
  readonly todos: readonly Todo[];
  readonly undone: readonly Range[];
  readonly compressions: readonly (Range & { readonly seq: number })[];
  /** Compression attempts of the newest turn since the last one that helped. */
  readonly compressFailures: number;
  readonly allowed: readonly string[];
  /** Something secret was read in it: what the model knows could leave with any request. */
  readonly sensitive?: true;
  /** Hosts that people named in their prompts, the newest last. */
  readonly namedHosts: readonly string[];
  readonly background: readonly {
    readonly taskId: string;
    readonly text: string;
    readonly childId: string;
  }[];
  /** The commands that run in the background. */
  readonly processes: readonly RunningProcess[];
  /** Ends of commands in the background that the model has not heard of. */
  readonly untold: readonly EndedProcess[];
  /** The subagents that run, also those of subagents. */
  readonly subagents: readonly RunningSubagent[];
  /** The budget is used up: the newest turn stopped between two steps, and nothing queued runs. */
  readonly parked?: { readonly since: number; readonly error: ErrorRecord };
  /** Tokens of the newest request, 0 when unknown. */
  readonly contextTokens: number;
}

/** A command that runs in the background; `startedAt` in Unix milliseconds. */
export interface RunningProcess extends StartedProcess {
  readonly startedAt: number;
}

interface RunningSubagent extends SubagentRef {
  readonly childId: string;
  readonly model: string;
  readonly startedAt: number;
}

/** Settings with their overrides applied; an absent key means the host's default. */
export interface Settings {
  readonly provider?: string;
  readonly model?: string;
  readonly reasoning?: string;
  readonly fast?: boolean;
  /** That of the owner's `approvals.mode` when absent. */
  readonly mode?: SessionMode;
  readonly instructions?: string;
  readonly toolsets?: readonly string[];
  readonly budget?: Budget;
  /** The session's own choice; that of its job, user, place or owner when absent. */
  readonly persona?: string;
}

/** The state before the first row. */
export const EMPTY_STATE: SessionState = {
  n: 0,
  seq: 0,
  createdAt: 0,
  activeAt: 0,
  platform: "library",
  source: "",
  surfaces: [],
  people: [],
  cwd: "",
  roots: [],
  depth: 0,
  hidden: false,
  title: "",
  titleBy: "none",
  settings: {},
  usage: NO_USAGE,
  counts: { messages: 0, toolCalls: 0, turns: 0, compressions: 0, children: 0 },
  preview: "",
  queue: [],
  questions: [],
  closedQuestions: [],
  todos: [],
  undone: [],
  compressions: [],
  compressFailures: 0,
  allowed: [],
  namedHosts: [],
  background: [],
  processes: [],
  untold: [],
  subagents: [],
  contextTokens: 0,
};
