import type { SessionEvent } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { processEndWords, shortCommand } from "../../shared/text/process-words.ts";
import type { ByType } from "../../shared/union/by-type.ts";
import type { ConversationUpdate } from "./conversation-update.ts";

/** A record with the function that turns each event into updates. */
export type EventProjectors = ByType<SessionEvent, undefined, readonly ConversationUpdate[]>;

const notShown = (): readonly ConversationUpdate[] => [];

/** The events whose updates depend on no earlier event. */
export const EVENT_UPDATES = {
  "tool.progress": ({ callId, preview, output }) => [
    { type: "call.progress", callId, preview, ...defined({ output }) },
  ],
  notice: ({ seq, level, text }) => [
    { type: "notice", id: `notice.${seq}`, level, text, important: level !== "info" },
  ],
  // The call that started it says so.
  "process.start": notShown,
  "process.told": notShown,
  "process.complete": ({ seq, command, heard, ...end }) => {
    if (heard === true) return [];
    const text = `A command in the background ${processEndWords(end)}: ${shortCommand(command)}`;
    return [{ type: "notice", id: `process.${seq}`, level: "info", text, important: false }];
  },
  "todos.cleared": () => [{ type: "plan", todos: [] }],
  "prompt.held": ({ seq, promptIds: { length } }) => {
    const text = `${length === 1 ? "A prompt is" : `${length} prompts are`} held back. /confirm lets it run.`;
    return [{ type: "notice", id: `prompt.held.${seq}`, level: "warn", text, important: true }];
  },
  "model.retry": ({ seq, at, until, error }) => {
    const seconds = Math.max(0, Math.ceil((until - at) / 1000));
    const text = `${error.message} Trying again in ${seconds} s.`;
    return [{ type: "waiting", messageId: `model.retry.${seq}`, text }];
  },
  "status.update": ({ seq, text }) => [{ type: "waiting", messageId: `status.update.${seq}`, text }],
  "background.complete": ({ taskId, text }) => [
    { type: "text", messageId: taskId, text: `[${taskId}] ${text}` },
  ],
  "history.compress": ({ seq, summary }) => [
    { type: "compaction", id: `compaction.${seq}`, status: "completed", text: summary },
  ],
  "history.compress_failed": ({ seq, reason }) => [
    { type: "compaction", id: `compaction.${seq}`, status: "failed", text: reason },
  ],
  // Results of tools are left out: the calls that they belong to are not there.
  "history.given": ({ seq, messages }) =>
    messages.flatMap((message, index): readonly ConversationUpdate[] => {
      const messageId = `given.${seq}.${index}`;
      if (message.role === "user") return [{ type: "user", messageId, parts: message.parts }];
      if (message.role === "tool" || message.text === "") return [];
      return [{ type: "text", messageId, text: message.text }];
    }),
  // The client learns of settings and of the queue in other ways.
  "session.start": notShown,
  "session.branch": notShown,
  "session.import": notShown,
  "session.end": notShown,
  "user.set": notShown,
  "title.set": notShown,
  "turn.feedback": notShown,
  "settings.set": notShown,
  "approval.pattern": notShown,
  "prompt.queued": notShown,
  "prompt.dropped": notShown,
  "prompt.confirmed": notShown,
  "history.undo": notShown,
  "background.start": notShown,
  "message.complete": notShown,
  "tool.generating": notShown,
  // The progress of the call that asked for a subagent shows what the subagent does.
  "subagent.start": notShown,
  "subagent.complete": notShown,
  "subagent.spawn_requested": notShown,
  "subagent.thinking": notShown,
  "subagent.progress": notShown,
  "subagent.tool": notShown,
} satisfies Partial<EventProjectors>;
