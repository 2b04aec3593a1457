import { EventEncoder } from "../encode/event.ts";
import type { Session } from "../../core/index.ts";
import type { GatewayContext } from "./gateway-context.ts";

/** Bytes that one page of events may have. */
const LARGEST_PAGE = 4 * 1024 * 1024;

interface ReplayedEvent extends Record<string, unknown> {
  readonly type: string;
  readonly session_id: string;
  readonly seq: number;
  readonly payload: unknown;
}

/** Events of the log from a cursor on, as clients get them live. */
export interface Replay {
  readonly events: readonly ReplayedEvent[];
  /** The cursor that the page goes up to. */
  readonly next: number;
  readonly more: boolean;
}

/** Reads a page of a session's events: whole events, at most so much that a client can take it at once. */
export async function replay(gateway: GatewayContext, session: Session, after: number): Promise<Replay> {
  const encoder = new EventEncoder(gateway, session, undefined);
  const events: ReplayedEvent[] = [];
  let next = after;
  let size = 0;
  for await (const event of session.events({ after, follow: false, live: false })) {
    const bodies = (await encoder.encode(event)).filter(({ type }) => type !== "request.cancel");
    const last = bodies.length - 1;
    const page = bodies.map(({ type, payload }, index) => ({
      type,
      session_id: session.id,
      seq: index === last ? event.seq : next,
      payload,
    }));
    const bytes = JSON.stringify(page).length;
    if (size > 0 && size + bytes > LARGEST_PAGE) return { events, next, more: true };
    events.push(...page);
    size += bytes;
    next = event.seq;
  }
  return { events, next, more: false };
}
