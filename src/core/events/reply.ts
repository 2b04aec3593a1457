/** A run of text in a reply; `cursor` is the session's cursor before its first character. */
export interface Segment {
  readonly kind: "text" | "reasoning";
  readonly cursor: number;
  readonly text: string;
}

/** The opaque items that only the dialect that made them can send back (signatures, encrypted reasoning). */
export interface ReplyItems {
  readonly dialect: string;
  readonly model: string;
  readonly items: readonly unknown[];
}

/** The reason for the end of a model's reply. */
export type FinishReason = "stop" | "length" | "tool_calls" | "refusal" | "interrupted" | "error";

/** Says why an answer is not whole, in a sentence for people; `undefined` when its model ended it. */
export function cutAnswer(finish: FinishReason | undefined): string | undefined {
  if (finish === "length") return "The answer is cut: it reached the most that the model may write at once.";
  if (finish === "refusal") return "The answer may be cut: the model, or its provider, refused to go on.";
  return undefined;
}

/** A tool call as the model asked for it, with an id that is unique in the session. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The model's own text, when it is no JSON object and could not be repaired. */
  readonly malformed?: string;
}

/** ACP's words for what a tool does. */
export type ToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "other";

/** The outcome of a call; `unknown` when its process died while it ran. */
export type ToolOutcome = "ok" | "error" | "denied" | "cancelled" | "unknown";

/** A step of the model's plan. */
export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
}
