import type { DurableEvent } from "../events/events.ts";
import type { Prompt } from "../events/prompt.ts";
import type { QueuedPrompt, SessionState } from "./state.ts";

type Queue = Pick<SessionState, "queue">;

/** The queued prompt that runs next. */
export function nextPrompt({ queue }: Queue): Prompt | undefined {
  return queue.find(({ held }) => !held)?.prompt;
}

/** Lets all that is queued wait for somebody to confirm it. */
export const holdQueue = ({ queue }: Queue): readonly DurableEvent[] => hold(queue);

/**
 * Lets prompts of a process that is gone wait for somebody to confirm them: those queued before `since`, Unix
 * milliseconds, and unless somebody watches those of a person at its terminal.
 */
export const holdAbandoned = (
  { queue }: Queue,
  { since, watched }: { readonly since: number; readonly watched: boolean },
): readonly DurableEvent[] =>
  hold(queue.filter(({ queuedAt, prompt }) => queuedAt < since || (prompt.attended === true && !watched)));

function hold(queue: readonly QueuedPrompt[]): readonly DurableEvent[] {
  const promptIds = queue.filter(({ held }) => !held).map(({ prompt }) => prompt.id);
  return promptIds.length === 0 ? [] : [{ type: "prompt.held", promptIds }];
}

/** The queue as it is once `events` are appended. */
export function withHeld({ queue }: Queue, events: readonly DurableEvent[]): Queue {
  const held = events.flatMap((event) => (event.type === "prompt.held" ? event.promptIds : []));
  return {
    queue: queue.map((entry) => (held.includes(entry.prompt.id) ? { ...entry, held: true } : entry)),
  };
}
