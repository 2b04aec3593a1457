import type { SessionEvent } from "../../core/index.ts";
import type { ConversationUpdate } from "./conversation-update.ts";

type EventOf<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;

/** Something to know that nobody said. */
export function notice(event: EventOf<"notice" | "prompt.held">): ConversationUpdate {
  const id = `${event.type}.${event.seq}`;
  switch (event.type) {
    case "notice":
      return { type: "notice", id, level: event.level, text: event.text, important: event.level !== "info" };
    case "prompt.held": {
      const count = event.promptIds.length;
      const waiting = count === 1 ? "A prompt is" : `${count} prompts are`;
      const text = `${waiting} held back. /confirm lets it run.`;
      return { type: "notice", id, level: "warn", text, important: true };
    }
  }
}

/** Why nothing comes yet. */
export function waiting(event: EventOf<"model.retry" | "status.update">): ConversationUpdate {
  const messageId = `${event.type}.${event.seq}`;
  if (event.type === "status.update") return { type: "waiting", messageId, text: event.text };
  const seconds = Math.max(0, Math.ceil((event.until - event.at) / 1000));
  return { type: "waiting", messageId, text: `${event.error.message} Trying again in ${seconds} s.` };
}

/** What became of an attempt to shorten the conversation. */
export function compaction(
  event: EventOf<"history.compress" | "history.compress_failed">,
): ConversationUpdate {
  const id = `compaction.${event.seq}`;
  return event.type === "history.compress"
    ? { type: "compaction", id, status: "completed", text: event.summary }
    : { type: "compaction", id, status: "failed", text: event.reason };
}
