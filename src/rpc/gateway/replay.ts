import { encoderAfter } from "../encode/event.ts";
import type { Session } from "../../core/index.ts";
import { cursorOf, numbered, seqAt } from "./event-numbers.ts";
import type { GatewayContext } from "./gateway-context.ts";

/** Bytes that one page of events may have. */
const LARGEST_PAGE = 4 * 1024 * 1024;

interface ReplayedEvent extends Record<string, unknown> {
  readonly type: string;
  readonly session_id: string;
  readonly seq: number;
  readonly payload: unknown;
}

/** Events of the log after a number, as clients get them live. */
export interface Replay {
  readonly events: readonly ReplayedEvent[];
  /** The number that the page goes up to. */
  readonly next: number;
  readonly more: boolean;
}

/** Reads a page of a session's events: whole events, at most so much that a client can take it at once. */
export async function replay(gateway: GatewayContext, session: Session, seen: number): Promise<Replay> {
  const events: ReplayedEvent[] = [];
  const after = cursorOf(seen);
  const encode = await encoderAfter(after, gateway, session);
  let next = seen;
  let size = 0;
  for await (const event of session.events({ after, follow: false, live: false })) {
    const page = numbered(event, await encode(event), seen)
      .filter(({ body }) => body.type !== "request.cancel")
      .map(({ body: { type, payload }, seq }) => ({ type, session_id: session.id, seq, payload }));
    const bytes = JSON.stringify(page).length;
    if (size > 0 && size + bytes > LARGEST_PAGE) return { events, next, more: true };
    events.push(...page);
    size += bytes;
    next = seqAt(event.seq);
  }
  return { events, next, more: false };
}
