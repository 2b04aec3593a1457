import type { DurableEvent } from "../events/events.ts";
import type { Prompt } from "../events/prompt.ts";

/** The rows with which a prompt's turn begins: what was said before it elsewhere, then the prompt itself. */
export function turnStart(turnId: string, { before, ...prompt }: Prompt): readonly DurableEvent[] {
  const start: DurableEvent = { type: "turn.start", turnId, prompt };
  return before === undefined || before.length === 0
    ? [start]
    : [{ type: "history.given", messages: before }, start];
}
