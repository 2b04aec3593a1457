import type { DurableEvent } from "../events/events.ts";

/** Whether an event is part of the conversation, for models or for people. */
const IN_HISTORY = {
  "history.given": true,
  "turn.start": true,
  "steer.delivered": true,
  "reply.complete": true,
  "tool.start": true,
  "tool.complete": true,
  "history.undo": true,
  "history.compress": true,
  "turn.end": true,
  "history.compress_failed": false,
  "session.start": false,
  "session.branch": false,
  "session.import": false,
  "session.end": false,
  "user.set": false,
  "title.set": false,
  "settings.set": false,
  "approval.pattern": false,
  "prompt.queued": false,
  "prompt.dropped": false,
  "prompt.held": false,
  "prompt.confirmed": false,
  "steer.accepted": false,
  "model.retry": false,
  "approval.request": false,
  "approval.resolved": false,
  "clarify.request": false,
  "clarify.resolved": false,
  "sudo.request": false,
  "sudo.resolved": false,
  "secret.request": false,
  "secret.resolved": false,
  "process.start": false,
  "process.complete": true,
  "process.told": true,
  "todos.cleared": true,
  "turn.feedback": false,
  notice: false,
  "background.start": false,
  "background.complete": false,
  "subagent.start": false,
  "subagent.complete": false,
  "message.complete": false,
} as const satisfies Record<DurableEvent["type"], boolean>;

type InHistory = typeof IN_HISTORY;
type HistoryType = { [T in keyof InHistory]: InHistory[T] extends true ? T : never }[keyof InHistory];

/** An event that is part of the conversation. */
export type HistoryEvent = Extract<DurableEvent, { type: HistoryType }>;

/** Whether an event is part of the conversation, for models or for people. */
export const isHistoryEvent = (event: DurableEvent): event is HistoryEvent => IN_HISTORY[event.type];
