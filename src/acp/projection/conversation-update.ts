import type { Location, Todo, ToolContent, ToolKind, ToolOutcome, UserPart } from "../../core/index.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { PromptStopReason, TurnEnd } from "./turn-end.ts";

/** A tool call as a client first sees it. */
export interface ProjectedCall {
  readonly callId: string;
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  /** It waits for an approval. */
  readonly asks: boolean;
  readonly input: unknown;
  readonly content: readonly ToolContent[];
  readonly locations: readonly Location[];
}

/** An update of a conversation, before it is encoded. Live events and the stored log give the same updates. */
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
      /** New output; `at` counts the characters before it. */
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
      /** People must see it, also in a client that has no place for notices. */
      readonly important: boolean;
    }
  /** The reason for a pause; it matters only while the pause lasts. */
  | { readonly type: "waiting"; readonly messageId: string; readonly text: string }
  | {
      readonly type: "compaction";
      readonly id: string;
      readonly status: "completed" | "failed";
      readonly text: string;
    }
  | { readonly type: "turn.end"; readonly end: TurnEnd }
  /** Whether something runs; turns say this with their own start and end. */
  | {
      readonly type: "state";
      readonly state: "running" | "requires_action" | "idle";
      /** Why the work stopped; `error` says more. */
      readonly stop?: PromptStopReason;
      readonly error?: ErrorRecord;
    };
