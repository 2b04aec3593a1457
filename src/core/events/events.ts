import type { BlobRef, HandedFile, Location, ToolContent } from "./content.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { GivenMessage, Origin, Platform, Prompt } from "./prompt.ts";
import type { QuestionRequest, QuestionResolved } from "./question-events.ts";
import type { FinishReason, ReplyItems, Segment, Todo, ToolCall, ToolKind, ToolOutcome } from "./reply.ts";
import type { EndedProcess, StartedProcess } from "./process-events.ts";
import type { SubagentEvent, SubagentNews } from "./subagent-events.ts";
import type { Budget } from "./budget.ts";
import type { HomeMachine } from "./home-machine.ts";
import type { Persona } from "./persona.ts";
import type { Usage } from "./usage.ts";

/** The outcome of a turn; `interrupted` when the process that drove it ended first, `cancelled` when somebody stopped it. */
export type TurnOutcome = "completed" | "cancelled" | "failed" | "interrupted";

/** An event that is a row of the log. It advances the session's cursor by one. */
export type DurableEvent =
  | {
      readonly type: "session.start";
      readonly platform: Platform;
      readonly source: string;
      readonly cwd: string;
      readonly roots: readonly string[];
      readonly parentId?: string;
      readonly hidden?: boolean;
      readonly settings?: SettingsPatch;
      /** The levels below a person's session, for a subagent's; absent for a person's. */
      readonly depth?: number;
      /** Its task comes from a session that has read something secret. */
      readonly sensitive?: true;
      /** The user whose session it is, by their id on the roster. */
      readonly user?: string;
      /** The machine on whose disk its files are, of several that share a store. */
      readonly home?: HomeMachine;
    }
  | {
      readonly type: "session.branch";
      readonly parentId: string;
      readonly title: string;
      readonly hidden?: boolean;
      /** What made the copy, and whose it is; absent, as the copied session. */
      readonly source?: string;
      readonly user?: string;
    }
  /** All before it came from a file of another session, `origin` being who wrote it; nothing of it happened here. */
  | { readonly type: "session.import"; readonly origin: string; readonly originId?: string }
  | { readonly type: "session.end"; readonly reason: string }
  /** From here on the session is this user's; it says nothing of one that is somebody's already. */
  | { readonly type: "user.set"; readonly user: string }
  | { readonly type: "title.set"; readonly title: string; readonly by: "user" | "auto" }
  | { readonly type: "settings.set"; readonly patch: SettingsPatch }
  /** Allowed in this session from here on, or `revoked`: no longer. */
  | { readonly type: "approval.pattern"; readonly patterns: readonly string[]; readonly revoked?: true }
  | { readonly type: "prompt.queued"; readonly prompt: Prompt }
  | { readonly type: "prompt.dropped"; readonly promptIds: readonly string[]; readonly reason: string }
  /** Queued too long before a crash, or behind a turn that used up the budget: it takes a word from somebody to run. */
  | { readonly type: "prompt.held"; readonly promptIds: readonly string[] }
  | { readonly type: "prompt.confirmed"; readonly promptIds: readonly string[] }
  /** Messages from elsewhere, as a client tells them: part of the conversation from here on. */
  | { readonly type: "history.given"; readonly messages: readonly GivenMessage[] }
  | {
      readonly type: "turn.start";
      readonly turnId: string;
      readonly prompt: Prompt;
      /** The persona in which the turn answers, as it was when the turn began. */
      readonly persona?: Persona;
    }
  | {
      readonly type: "steer.accepted";
      readonly turnId: string;
      readonly steerId: string;
      readonly text: string;
      readonly from: Origin;
    }
  | {
      readonly type: "steer.delivered";
      readonly turnId: string;
      readonly steerIds: readonly string[];
      readonly text: string;
    }
  | {
      readonly type: "model.retry";
      readonly turnId: string;
      readonly attempt: number;
      readonly error: ErrorRecord;
      /** Unix milliseconds of the next try. */
      readonly until: number;
    }
  | {
      readonly type: "reply.complete";
      readonly turnId: string;
      readonly segments: readonly Segment[];
      readonly calls: readonly ToolCall[];
      readonly finish: FinishReason;
      readonly usage: Usage;
      readonly provider: string;
      readonly model: string;
      readonly items?: ReplyItems;
      /** When the model was asked, and when the first of its reply came; Unix milliseconds. */
      readonly askedAt?: number;
      readonly firstAt?: number;
    }
  | {
      readonly type: "tool.start";
      readonly turnId: string;
      readonly callId: string;
      readonly name: string;
      readonly kind: ToolKind;
      readonly label: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly locations?: readonly Location[];
      readonly content?: readonly ToolContent[];
      /** It does not run yet: an approval is asked for first. */
      readonly asks?: true;
    }
  | {
      readonly type: "tool.complete";
      readonly turnId: string;
      readonly callId: string;
      readonly name: string;
      readonly label: string;
      readonly outcome: ToolOutcome;
      readonly content: readonly ToolContent[];
      readonly durationMs: number;
      readonly summary?: string;
      /** The whole output, when `content` holds only its head and tail. */
      readonly overflow?: BlobRef;
      /** Files for the people who are answered. */
      readonly files?: readonly HandedFile[];
      readonly todos?: readonly Todo[];
      readonly locations?: readonly Location[];
      /** The call read something secret. */
      readonly sensitive?: true;
    }
  | QuestionRequest
  | QuestionResolved
  | {
      readonly type: "notice";
      readonly level: "info" | "warn" | "error";
      readonly kind: string;
      readonly text: string;
    }
  | {
      readonly type: "history.undo";
      /** Rows after this cursor are undone. */
      readonly keep: number;
      readonly turns: number;
      /** Files that tools changed in these turns, absolute: they stay as they are. */
      readonly files?: readonly string[];
      /** So many files were put back with them. */
      readonly restored?: number;
    }
  | {
      readonly type: "history.compress";
      /** For requests, the rows in `(from, to]` are replaced by the summary. */
      readonly from: number;
      readonly to: number;
      readonly summary: string;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      readonly usage: Usage;
      readonly automatic: boolean;
    }
  | { readonly type: "history.compress_failed"; readonly reason: string; readonly usage: Usage }
  | {
      readonly type: "background.start";
      readonly taskId: string;
      readonly text: string;
      readonly childId: string;
    }
  | {
      readonly type: "background.complete";
      readonly taskId: string;
      readonly text: string;
      readonly outcome: TurnOutcome;
      /** All that the task's session used. */
      readonly usage?: Usage;
    }
  /** A command runs in the background from here on. */
  | ({ readonly type: "process.start" } & StartedProcess)
  /** A command in the background is over. The model hears of it within the running turn, or with the next prompt. */
  | ({ readonly type: "process.complete" } & EndedProcess)
  /** The model hears in the running turn, with its next request, that commands in the background are over. */
  | {
      readonly type: "process.told";
      readonly turnId: string;
      readonly processIds: readonly string[];
      readonly text: string;
    }
  /** A person judged a turn: a thumb under its answer, or `none` when it was taken away again. */
  | {
      readonly type: "turn.feedback";
      readonly turnId: string;
      readonly verdict: "up" | "down" | "none";
      readonly from: Origin;
    }
  /** A person put the list of steps away. */
  | { readonly type: "todos.cleared" }
  | SubagentEvent
  | {
      readonly type: "message.complete";
      readonly turnId: string;
      /** Cursor before the turn's first row; the answer is the text of the replies since then. */
      readonly from: number;
      readonly status: "complete" | "interrupted" | "error";
      readonly usage: Usage;
      /** The end of the last reply, when it is not whole. */
      readonly finish?: "length" | "refusal";
      readonly error?: ErrorRecord;
      /** Why it was cut short, in a sentence for people. */
      readonly reason?: string;
      /** The surface where somebody stopped it. */
      readonly stoppedBy?: string;
    }
  | {
      readonly type: "turn.end";
      readonly turnId: string;
      readonly outcome: TurnOutcome;
      readonly usage: Usage;
      /** The end of the last reply, when there was one. */
      readonly finish?: FinishReason;
      readonly error?: ErrorRecord;
      /** Why it was cut short, in a sentence for people; of turns that were interrupted or cancelled. */
      readonly reason?: string;
      /** Steering text that came too late to be delivered. */
      readonly undelivered?: readonly string[];
      /** The process that ran it died after this cursor, nobody knows when; another one wrote what follows. */
      readonly lostAfter?: number;
    };

/** A piece of text as it streams. It advances the cursor by its length in UTF-16 units. */
export type DeltaEvent =
  | { readonly type: "message.delta"; readonly text: string }
  | { readonly type: "reasoning.delta"; readonly text: string };

/** An event that carries the current cursor and is in no log. */
export type LiveEvent =
  | { readonly type: "tool.generating"; readonly name: string }
  | {
      readonly type: "tool.progress";
      readonly callId: string;
      readonly name: string;
      readonly preview: string;
      /** Text that was printed since the reader's last progress of this call; `at` counts the characters before it. */
      readonly output?: { readonly at: number; readonly text: string };
    }
  | { readonly type: "status.update"; readonly kind: string; readonly text: string }
  | SubagentNews;

/** Any event of a session. */
export type AgentEvent = DurableEvent | DeltaEvent | LiveEvent;

/** The event of a name. */
export type EventNamed<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** One row of a session's log: `n` counts without a gap from 1, `seq` is the cursor after it, `at` Unix ms. */
export interface Row {
  readonly n: number;
  readonly seq: number;
  readonly at: number;
  readonly event: DurableEvent;
}

/**
 * An event as readers get it. A reader that stores `seq` and asks for what comes after it gets exactly the rest.
 * `message.complete` comes with `text`, all text of its turn joined.
 */
export type SessionEvent = { readonly seq: number; readonly at: number } & (
  | Exclude<AgentEvent, { type: "message.complete" }>
  | (Extract<DurableEvent, { type: "message.complete" }> & { readonly text: string })
);

/**
 * The extent to which a session acts by itself: `ask` asks before each change, `edits` not before changes of ordinary
 * files of the workspace, `plan` only reads, `all` asks for nothing.
 */
export type SessionMode = "ask" | "edits" | "plan" | "all";

/** A change of a session's settings; an absent key stays as it is, `null` returns to the default. */
export interface SettingsPatch {
  /** The machine on whose disk the files are. */
  readonly home?: HomeMachine | null;
  readonly provider?: string | null;
  readonly model?: string | null;
  readonly reasoning?: string | null;
  /** In the faster tier of the model's provider. */
  readonly fast?: boolean | null;
  readonly mode?: SessionMode | null;
  /** `true` is the mode `all`; `false` leaves that mode. */
  readonly yolo?: boolean;
  readonly cwd?: string;
  readonly roots?: readonly string[];
  readonly instructions?: string | null;
  readonly toolsets?: readonly string[] | null;
  /** Out of the way: lists leave the session out, and all of it stays. */
  readonly archived?: boolean;
  readonly budget?: Budget | null;
  /** Name of a persona; `none` for none at all, whatever the owner chose for its place. */
  readonly persona?: string | null;
}
