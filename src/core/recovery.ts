import { closing } from "./closing.ts";
import type { DurableEvent, Prompt } from "./events.ts";
import type { Moment } from "./append-plan.ts";
import type { CallState, SessionState } from "./state.ts";

/**
 * A turn waits for nothing but answers that can be given later as well as now: nothing streams, and each call that
 * began has an open question that was asked before any effect. A subagent's never waits: nobody would take its answer.
 */
export function isParked({ state, segments }: Moment): boolean {
  const { turn, depth, questions } = state;
  if (turn === undefined || depth > 0 || questions.length === 0 || segments().length > 0) return false;
  const patient = questions.every(({ request }) => request.beforeEffect && PATIENT.has(request.type));
  const asked = ({ call }: CallState): boolean => questions.some(({ request }) => request.callId === call.id);
  return patient && turn.calls.every((call) => call.status !== "started" || asked(call));
}

/** Sudo and secret answers need the key that only the process had that asked. */
const PATIENT = new Set(["approval.request", "clarify.request"]);

/** What a session needs whose owner died: its turn is closed unless it is parked, old queued prompts are held. */
export function recovery(
  moment: Moment,
  options: { readonly now: number; readonly holdMs: number },
): readonly DurableEvent[] {
  const late = moment.state.queue
    .filter(({ held, queuedAt }) => !held && options.now - queuedAt > options.holdMs)
    .map(({ prompt }) => prompt.id);
  const held: readonly DurableEvent[] = late.length === 0 ? [] : [{ type: "prompt.held", promptIds: late }];
  return isParked(moment) ? held : [...closing(moment, { outcome: "interrupted" }), ...held];
}

/** Lets all that is queued wait for somebody to confirm it. */
export function holdQueue({ queue }: Pick<SessionState, "queue">): readonly DurableEvent[] {
  const promptIds = queue.filter(({ held }) => !held).map(({ prompt }) => prompt.id);
  return promptIds.length === 0 ? [] : [{ type: "prompt.held", promptIds }];
}

/** The queue as it is once `events` are appended. */
export function withHeld(state: SessionState, events: readonly DurableEvent[]): Pick<SessionState, "queue"> {
  const held = events.flatMap((event) => (event.type === "prompt.held" ? event.promptIds : []));
  return {
    queue: state.queue.map((entry) => (held.includes(entry.prompt.id) ? { ...entry, held: true } : entry)),
  };
}

/** The queued prompt that runs next. */
export function nextPrompt({ queue }: Pick<SessionState, "queue">): Prompt | undefined {
  return queue.find(({ held }) => !held)?.prompt;
}
