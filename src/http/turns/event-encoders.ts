import type { SessionEvent } from "../../core/index.ts";
import type { MemberOf } from "../../shared/union/by-type.ts";

/** The session event of a type. */
export type EventOf<Type extends SessionEvent["type"]> = MemberOf<SessionEvent, Type>;

/** Makes one encoder serve several types of events. */
export function forTypes<Type extends string, Encode>(
  types: readonly Type[],
  encode: Encode,
): { readonly [Name in Type]: Encode } {
  // It has exactly these keys.
  return Object.fromEntries(types.map((type) => [type, encode])) as { [Name in Type]: Encode };
}

/**
 * Events that most wires do not show: bookkeeping of the session, what is only worth knowing at the moment, and what
 * goes on beside the answer. A wire that shows some of them has encoders of its own for those.
 */
export const QUIET_EVENTS = [
  "session.start",
  "session.branch",
  "session.import",
  "session.end",
  "user.set",
  "title.set",
  "settings.set",
  "approval.pattern",
  "prompt.queued",
  "prompt.held",
  "prompt.confirmed",
  "history.given",
  "history.undo",
  "history.compress",
  "history.compress_failed",
  "steer.accepted",
  "steer.delivered",
  "model.retry",
  "approval.request",
  "approval.resolved",
  "clarify.request",
  "clarify.resolved",
  "sudo.request",
  "sudo.resolved",
  "secret.request",
  "secret.resolved",
  "notice",
  "process.start",
  "process.complete",
  "process.told",
  "todos.cleared",
  "turn.feedback",
  "background.start",
  "background.complete",
  "subagent.start",
  "subagent.complete",
  "message.complete",
  "tool.generating",
  "tool.progress",
  "status.update",
  "subagent.spawn_requested",
  "subagent.thinking",
  "subagent.progress",
  "subagent.tool",
] as const satisfies readonly SessionEvent["type"][];
