import type { DurableEvent } from "../events/events.ts";
import type { Persona } from "../events/persona.ts";
import type { SessionState } from "../state/state.ts";

/** A chooser of personas. */
export interface PersonaChoice {
  /** The persona of a turn that begins in this state. */
  readonly personaOf?: (state: SessionState) => Persona | undefined;
}

/**
 * Gives events one by one, a turn's start with its persona: every turn begins in a plan, whoever starts it, so it is
 * chosen here once, and stays.
 *
 * @param stateNow - after the events that were taken so far
 */
export function* personaEvents(
  events: readonly DurableEvent[],
  stateNow: () => SessionState,
  { personaOf }: PersonaChoice,
): Generator<DurableEvent, void> {
  for (const event of events) {
    const state = event.type === "turn.start" ? stateNow() : undefined;
    const persona = state && personaOf?.(state);
    yield event.type === "turn.start" && persona !== undefined ? { ...event, persona } : event;
    if (persona?.missing === true && state?.persona?.missing !== true) yield missingNotice(persona);
  }
}

const missingNotice = ({ name }: Persona): DurableEvent => ({
  type: "notice",
  level: "warn",
  kind: "persona.missing",
  text: `The persona ${name}, which is to answer here, does not exist. Until there is one of that name, or another is chosen, the agent has only the tools that ${name} last had, or none.`,
});
