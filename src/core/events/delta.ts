import type { AgentEvent, DeltaEvent, SessionEvent } from "./events.ts";

/** A piece of streamed text as readers get it. */
export type TextEvent = Extract<SessionEvent, DeltaEvent>;

/** Whether an event is a piece of streamed text. */
export const isDelta = <E extends { readonly type: AgentEvent["type"] }>(
  event: E,
): event is Extract<E, { readonly type: DeltaEvent["type"] }> =>
  event.type === "message.delta" || event.type === "reasoning.delta";
