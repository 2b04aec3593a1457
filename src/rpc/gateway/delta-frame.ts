import type { SessionEvent } from "../../core/index.ts";
import { eventFrame } from "./event-frame.ts";

type Delta = Extract<SessionEvent, { type: "message.delta" | "reasoning.delta" }>;

const FRAMES = new WeakMap<Delta, string>();

/** Text of a reply as it goes over the wire. Readers that keep up get the same event: it is written once for all. */
export function deltaFrame(session: string, event: Delta): string {
  const known = FRAMES.get(event);
  if (known !== undefined) return known;
  const { type, text, seq } = event;
  const frame = eventFrame({ type, payload: { text } }, { session, seq });
  FRAMES.set(event, frame);
  return frame;
}
