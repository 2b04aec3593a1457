import { encoderAfter } from "../encode/event.ts";
import type { Session } from "../../core/index.ts";
import { cursorOf, numbered, seqAt } from "./event-numbers.ts";
import type { GatewayContext } from "./gateway-context.ts";

/** Bytes that one page of events may have. */
const LARGEST_PAGE = 4 * 1024 * 1024;

/**
 * Reads a page of the events after a number, as clients get them live: whole events, at most so much that a client can
 * take it at once. `next` is the number that the page goes up to.
 */
export async function replay(gateway: GatewayContext, session: Session, seen: number) {
  const events: Record<string, unknown>[] = [];
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
