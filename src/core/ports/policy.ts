import type { Platform } from "../events/prompt.ts";

/** The extent of approvals: `manual` asks for every change, `smart` only for what could do harm, `off` for nothing. */
export type ApprovalMode = "manual" | "smart" | "off";

/** The owner's decisions for all sessions of a host. Durations in milliseconds. */
export interface Policy {
  readonly approvals: {
    readonly mode: ApprovalMode;
    /** Patterns that were allowed for ever. */
    readonly allowed: readonly string[];
    /** Rules of what never runs, in no mode. */
    readonly denied: readonly string[];
    readonly timeoutMs: number;
  };
  readonly questions: {
    readonly clarifyMs: number;
    readonly sudoMs: number;
    readonly secretMs: number;
    /** A question that nobody has seen starts its time-out after this. */
    readonly unseenMs: number;
    /** No question stays open longer. */
    readonly parkMs: number;
  };
  readonly limits: {
    /** Turns that a host runs at once, those of subagents not counted; further prompts wait until a host has room. 0 is any number. */
    readonly runningTurns: number;
    /** Model calls per turn. */
    readonly iterations: number;
    /** Wall time of a turn; 0 is none. */
    readonly turnMs: number;
    /** Characters of one tool result that the model gets; the rest is kept as a blob. */
    readonly toolOutput: number;
    readonly replyText: number;
    /** Tokens that a session may use, without those read from the provider's cache; 0 is no limit. */
    readonly sessionTokens: number;
    /** US dollars that a session may cost, where prices are known; 0 is no limit. */
    readonly sessionCost: number;
  };
  readonly compression: {
    readonly enabled: boolean;
    /** Fraction of the context window at which it happens by itself. */
    readonly at: number;
  };
  readonly retry: {
    /** Requests per model call in all. */
    readonly tries: number;
    readonly baseMs: number;
    readonly capMs: number;
    /** A provider that asks for a longer wait ends the turn instead, with that time in the error. */
    readonly longestWaitMs: number;
  };
  readonly queue: {
    /** After a crash, prompts older than this wait for somebody to confirm them. */
    readonly holdMs: number;
  };
  readonly delegation: {
    /** The levels below a person's session that subagents may have; 0 is none at all. */
    readonly maxDepth: number;
    /** Subagents of one session that run at once; further ones wait. */
    readonly maxChildren: number;
    /** Model calls of one subagent. */
    readonly iterations: number;
    /** Wall time of one subagent; 0 is none. */
    readonly timeoutMs: number;
    /** Characters of a subagent's answer that its parent gets. */
    readonly answer: number;
    /** `provider:model` or a model's name; that of the parent when absent. */
    readonly model?: string;
  };
  /** Toolsets per platform, where they differ from the default. */
  readonly toolsets: Readonly<Partial<Record<Platform, readonly string[]>>>;
  /** Toolsets per chat platform, by its name, where they differ from those of `chat`. */
  readonly chatToolsets: Readonly<Record<string, readonly string[]>>;
  /** People whose answers to approvals count when they come from a chat: the clients of their origins, `telegram:42`. */
  readonly chatApprovers: readonly string[];
  /** Name untitled sessions after their first prompt. */
  readonly autoTitle: boolean;
}

const MINUTE = 60_000;

/** The policy where the owner says nothing. */
export const DEFAULT_POLICY: Policy = {
  approvals: { mode: "smart", allowed: [], denied: [], timeoutMs: 5 * MINUTE },
  questions: {
    clarifyMs: 5 * MINUTE,
    sudoMs: 2 * MINUTE,
    secretMs: 5 * MINUTE,
    unseenMs: 10 * MINUTE,
    parkMs: 24 * 60 * MINUTE,
  },
  limits: {
    runningTurns: 0,
    iterations: 90,
    turnMs: 0,
    toolOutput: 30_000,
    replyText: 4_000_000,
    sessionTokens: 0,
    sessionCost: 0,
  },
  compression: { enabled: true, at: 0.8 },
  retry: { tries: 3, baseMs: 1000, capMs: 30_000, longestWaitMs: 5 * MINUTE },
  queue: { holdMs: 10 * MINUTE },
  delegation: { maxDepth: 1, maxChildren: 3, iterations: 50, timeoutMs: 10 * MINUTE, answer: 12_000 },
  toolsets: {},
  chatToolsets: {},
  chatApprovers: [],
  autoTitle: true,
};
