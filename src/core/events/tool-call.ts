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
