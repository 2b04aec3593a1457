import { turnEndRows } from "../turn/turn-rows.ts";
import type { DurableEvent } from "../events/events.ts";
import type { LogView } from "../log/append-plan.ts";
import { holdAbandoned } from "../state/queue.ts";
import type { CallState, SessionState } from "../state/state.ts";

/**
 * A turn waits for nothing but answers that can be given later as well as now: nothing streams, and each call that
 * began has an open question that was asked before any effect. A subagent's never waits: nobody would take its answer.
 */
export const isParked = ({ state, segments }: LogView): boolean =>
  waitsForAnswers(state) && segments().length === 0;

/** Says the same of a turn of which nothing streams. */
export function waitsForAnswers({ turn, depth, questions }: SessionState): boolean {
  if (turn === undefined || depth > 0 || questions.length === 0) return false;
  const patient = questions.every(({ request }) => request.beforeEffect && PATIENT.has(request.type));
  const asked = ({ call }: CallState): boolean => questions.some(({ request }) => request.callId === call.id);
  return patient && turn.calls.every((call) => call.status !== "started" || asked(call));
}

/** Sudo and secret answers need the key that only the process had that asked. */
const PATIENT = new Set(["approval.request", "clarify.request"]);

interface Recovery {
  /** Why its turn ends, in a sentence for people. */
  readonly reason: string;
  /** Prompts queued before this are held, Unix milliseconds. */
  readonly since: number;
  /** Somebody follows the session here: the queue runs before their eyes. */
  readonly watched: boolean;
  /** A turn that only waits for answers stays open. */
  readonly mayPark: boolean;
}

/**
 * The rows that a session needs when its owner is gone: they end its turn unless it is parked, and hold queued prompts
 * that are old, or that were typed at the terminal of the owner.
 */
export function recovery(view: LogView, { reason, mayPark, ...queued }: Recovery): readonly DurableEvent[] {
  const held = holdAbandoned(view.state, queued);
  return mayPark && isParked(view)
    ? held
    : [...turnEndRows(view, { outcome: "interrupted", reason, lost: true }), ...held];
}
