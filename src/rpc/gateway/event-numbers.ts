import type { SessionEvent } from "../../core/index.ts";
import type { EventBody } from "../protocol/events.ts";

/** Numbers between two cursors: one event of the log stands for fewer events of the gateway than this. */
const PER_CURSOR = 16;

/** An event of the gateway with its number. */
export interface NumberedEvent {
  readonly body: EventBody;
  readonly seq: number;
}

/** The number of everything up to a cursor. Clients know numbers, the core knows cursors; this is where they meet. */
export const seqAt = (cursor: number): number => cursor * PER_CURSOR;

/** The cursor from which a client that has seen a number reads on; what it has of the next event is left out by number. */
export const cursorOf = (seq: number): number => Math.floor(seq / PER_CURSOR);

/**
 * Numbers the events that one event of the log stands for: each number is greater than the one before. The last event is
 * at the cursor itself, those before it lie between this cursor and the one before, of which there is one for each row.
 *
 * @param seen - the number that the client has already; what it has is left out
 */
export function numbered(
  { seq: cursor }: SessionEvent,
  bodies: readonly EventBody[],
  seen: number,
): readonly NumberedEvent[] {
  const last = bodies.length - 1;
  return bodies
    .map((body, index) => ({ body, seq: index === last ? seqAt(cursor) : seqAt(cursor - 1) + index + 1 }))
    .filter(({ seq }) => seq > seen);
}
