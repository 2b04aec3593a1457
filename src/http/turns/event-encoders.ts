import type { SessionEvent } from "../../core/index.ts";

type Typed = { readonly type: string };

/** The member of a union that has a type, also one of several types. */
type Member<Union extends Typed, Type extends string> = Union extends { readonly type: infer Own }
  ? Type extends Own
    ? Union & { readonly type: Type }
    : never
  : never;

/** The session event of a type. */
export type EventOf<Type extends SessionEvent["type"]> = Member<SessionEvent, Type>;

/**
 * One encoder for each type of event, so that a new event is a type error until somebody has thought about it. `Self`
 * is the state that an encoder works on.
 */
export type Encoders<Union extends Typed, Self, Out> = {
  readonly [Type in Union["type"]]: (event: Member<Union, Type>, self: Self) => Out;
};

/** Encodes an event with the encoder of its type. */
export function encodeWith<Union extends Typed, Self, Out>(
  encoders: Encoders<Union, Self, Out>,
  event: Union,
  self: Self,
): Out {
  // The record has each encoder under the type of its own event.
  const encode = encoders[event.type as Union["type"]] as unknown as (event: Union, self: Self) => Out;
  return encode(event, self);
}

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
  "session.end",
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
