import type { DurableEvent } from "../events/events.ts";

/** The events of a log that make up its past. All others are about the present of the session that they stood in. */
type PastType =
  | "history.given"
  | "turn.start"
  | "steer.accepted"
  | "steer.delivered"
  | "reply.complete"
  | "tool.start"
  | "tool.complete"
  | "process.complete"
  | "process.told"
  | "todos.cleared"
  | "notice"
  | "history.undo"
  | "history.compress"
  | "message.complete"
  | "turn.end";

/** An event of another session's log: `seq` is the cursor that it had there, `at` Unix milliseconds. */
export interface PastEvent {
  readonly seq: number;
  readonly at: number;
  readonly event: Extract<DurableEvent, { type: PastType }>;
}

/** The past with which a session begins: events of another session, in their order, and where they come from. */
export interface Past {
  readonly events: readonly PastEvent[];
  /** The program that wrote them. */
  readonly origin: string;
  /** Its name of the session. */
  readonly originId?: string;
}
