import type { Location, ToolContent } from "./content.ts";
import type { Origin } from "./prompt.ts";

/** An answer to an approval: for this call, for this session, for ever, or no. */
export type ApprovalChoice = "once" | "session" | "always" | "deny";

/** Rules that an answer for ever may leave behind, as they are kept. */
export interface AlwaysScope {
  /** Names it in an answer. */
  readonly id: string;
  readonly rules: readonly string[];
  /** Absolute; the folder in which the rules hold, and below. Absent: everywhere. */
  readonly folder?: string;
}

/** The side of the sandbox's wall on which a command runs. */
export type CommandSide = "inside" | "outside";

interface QuestionBase {
  readonly requestId: string;
  readonly turnId: string;
  readonly callId: string;
  /** Milliseconds that the answer may take once somebody has seen the question. */
  readonly timeoutMs: number;
  /** Nothing has happened yet that asking again after a restart could repeat. */
  readonly beforeEffect: boolean;
  /** A subagent asks: its own question, of which this one is the copy for the people at its parent. */
  readonly child?: { readonly sessionId: string; readonly requestId: string; readonly goal: string };
}

/** A question whether a call may run. */
export interface ApprovalRequest extends QuestionBase {
  readonly type: "approval.request";
  readonly toolName: string;
  /** The command, or what stands for it: shown to people as it is. */
  readonly command: string;
  readonly description: string;
  /** Why it is asked; each is the end of "It …". Absent in logs of older versions. */
  readonly reasons?: readonly string[];
  /** More about the reasons, for who wants to know. */
  readonly details?: string;
  /** Of a command: whether it would run in the sandbox, or with all that the user may do. */
  readonly place?: CommandSide;
  /** The call runs already, and met something that has to be allowed: it goes on, whatever the answer. */
  readonly running?: true;
  /** The patterns that `session` and `always` would allow from now on. */
  readonly patterns: readonly string[];
  readonly choices: readonly ApprovalChoice[];
  /** What `always` may cover, the narrowest first, when there is a choice. An answer that names none takes the patterns, everywhere. */
  readonly scopes?: readonly AlwaysScope[];
  /** SHA-256 of the call's canonical arguments: what runs is what was shown. */
  readonly inputHash: string;
  readonly content?: readonly ToolContent[];
  readonly locations?: readonly Location[];
}

/** A question of the model. */
export interface ClarifyRequest extends QuestionBase {
  readonly type: "clarify.request";
  readonly question: string;
  readonly choices: readonly string[];
}

/** A question for the password of a command with `sudo`. */
export interface SudoRequest extends QuestionBase {
  readonly type: "sudo.request";
  readonly command: string;
  /** X25519 public key (base64, raw): answers from another process come sealed to it. */
  readonly publicKey: string;
}

/** A question for the value of a variable. Whoever asks keeps it. */
export interface SecretRequest extends QuestionBase {
  readonly type: "secret.request";
  readonly envVar: string;
  readonly prompt: string;
  readonly publicKey: string;
}

/** A question that a turn waits for. */
export type QuestionRequest = ApprovalRequest | ClarifyRequest | SudoRequest | SecretRequest;

/** Whether an event is a question. */
export const isQuestion = <Event extends { readonly type: string }>(
  event: Event,
): event is Extract<Event, { readonly type: `${string}.request` }> => event.type.endsWith(".request");

/** The end of a question. The text of a secret or sudo answer is nowhere in it. */
export type Resolution =
  | {
      readonly outcome: "answered";
      readonly choice?: ApprovalChoice;
      /** The scope of `scopes` that was chosen with `always`. */
      readonly scope?: string;
      readonly text?: string;
      readonly by: Origin;
    }
  | { readonly outcome: "expired" }
  | { readonly outcome: "refused"; readonly reason: string }
  | { readonly outcome: "cancelled"; readonly reason: string };

/** The row with which a question ends. */
export interface QuestionResolved {
  readonly type: "approval.resolved" | "clarify.resolved" | "sudo.resolved" | "secret.resolved";
  readonly requestId: string;
  readonly turnId: string;
  readonly callId: string;
  readonly resolution: Resolution;
}
