import type {
  Location,
  Todo,
  ToolContent,
  ToolKind,
  ToolOutcome,
  TurnOutcome,
  Usage,
  UserPart,
} from "../../core/index.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";

/** A tool call as it is first shown. */
export interface ProjectedCall {
  readonly callId: string;
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  /** It waits for somebody to allow it. */
  readonly asks: boolean;
  readonly input: unknown;
  readonly content: readonly ToolContent[];
  readonly locations: readonly Location[];
}

/** Why the work on a prompt stopped; `error` has no place in version 1, which answers with an error instead. */
export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" | "error";

/** How a turn ended. */
export interface TurnEnd {
  readonly turnId: string;
  readonly promptId: string;
  readonly outcome: TurnOutcome;
  readonly usage: Usage;
  readonly finish?: string;
  readonly error?: ErrorRecord;
}

/**
 * What a client is shown of a session, in the host's words. Live events and the stored log give the same ones; each
 * version of the protocol has one encoder for them.
 */
export type ConversationUpdate =
  | { readonly type: "turn.start"; readonly turnId: string; readonly promptId: string }
  | { readonly type: "user"; readonly messageId: string; readonly parts: readonly UserPart[] }
  | { readonly type: "text"; readonly messageId: string; readonly text: string }
  | { readonly type: "thought"; readonly messageId: string; readonly text: string }
  | { readonly type: "call.start"; readonly call: ProjectedCall }
  | { readonly type: "call.runs"; readonly callId: string }
  | {
      readonly type: "call.progress";
      readonly callId: string;
      readonly preview: string;
      readonly output?: { readonly at: number; readonly text: string };
    }
  | {
      readonly type: "call.end";
      readonly callId: string;
      readonly kind: ToolKind;
      readonly outcome: ToolOutcome;
      readonly content: readonly ToolContent[];
      readonly locations?: readonly Location[];
    }
  | { readonly type: "plan"; readonly todos: readonly Todo[] }
  | {
      readonly type: "notice";
      readonly id: string;
      readonly level: "info" | "warn" | "error";
      readonly text: string;
      /** It matters to people even where there is no place for notices. */
      readonly important: boolean;
    }
  /** Why nothing comes yet: good to know while it lasts. */
  | { readonly type: "waiting"; readonly messageId: string; readonly text: string }
  | {
      readonly type: "compaction";
      readonly id: string;
      readonly status: "completed" | "failed";
      readonly text: string;
    }
  | { readonly type: "turn.end"; readonly end: TurnEnd }
  /** Whether anything runs, beside what begins and ends of turns say. */
  | {
      readonly type: "state";
      readonly state: "running" | "requires_action" | "idle";
      /** Why what ran has stopped; `error` says more of it. */
      readonly stop?: StopReason;
      readonly error?: ErrorRecord;
    };
