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
